"""Words that give a program away whatever it is called: coin miners, and tools that break into machines."""

from __future__ import annotations

import re
from typing import Final

MINING: Final = re.compile(
    r"(?i)stratum\+|(?<![A-Za-z])(?:xmrig|minerd|cpuminer|nbminer|ethminer|cgminer|t-rex|lolminer"
    r"|minergate|nicehash|cryptonight|supportxmr"
    r"|minexmr|nanopool|ethermine|2miners|hashvault|moneroocean|coinhive|xmr-stak|ccminer|crypto-?miner"
    r"|coin-?miner)(?![A-Za-z])|_miner\.sh|--donate-level|\bpool\.[\w.-]+:\d{2,5}"
)
BREAKING_IN: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:exploit|pwn(?:kit)?|rootkit|privesc|linpeas|winpeas|linenum|lse|dirty_?cow"
    r"|dirty_?pipe|mimikatz|hashdump|keylogger"
    r"|backdoor|ransomware|revshell|reverse_?shell|meterpreter|shellcode|botnet|malware|trojan)(?:$|[_.-])"
)
