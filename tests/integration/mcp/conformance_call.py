"""What the conformance suite starts for each scenario: hands it to `conformance_client.py serve` and gives its code."""

import json
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    scenario, context = os.environ["MCP_CONFORMANCE_SCENARIO"], os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}"
    line.sendall(json.dumps([scenario, context, sys.argv[-1]]).encode() + b"\n")
    said = b"".join(iter(lambda: line.recv(65536), b"")).decode()
code, _, words = said.partition("\n")
sys.stderr.write(words)
sys.exit(int(code or 1))
