from handiwork.backends.environment.surroundings import child_environment


def test_keys_stay_behind_and_the_usual_names_pass():
    secret = "s" + "k-" + "1" * 20
    base = {
        "HOME": "/home/a",
        "PATH": "/bin",
        "LC_CTYPE": "de_DE.UTF-8",
        "OPENAI_API_KEY": secret,
        "GITHUB_TOKEN": secret,
        "BASH_ENV": "/evil",
        "LD_PRELOAD": "/evil.so",
        "HTTPS_PROXY": "http://proxy:3128",
        "PIP_INDEX_URL": "https://user:" + secret + "@index.example/simple",
    }
    env = child_environment({"MINE": "1"}, base=base)
    assert env["HOME"] == "/home/a" and env["HTTPS_PROXY"] and env["MINE"] == "1"
    assert not {"OPENAI_API_KEY", "GITHUB_TOKEN", "BASH_ENV", "LD_PRELOAD", "PIP_INDEX_URL"} & env.keys()
    assert secret not in "".join(env.values())


def test_names_that_the_person_passes_are_passed():
    assert child_environment({}, ["AWS_PROFILE", "NOT_SET"], base={"AWS_PROFILE": "dev"})["AWS_PROFILE"] == "dev"


def test_text_is_utf8_where_nothing_says_otherwise():
    assert child_environment({}, base={})["LANG"] == "C.UTF-8"
    assert "LANG" not in child_environment({}, base={"LC_ALL": "C"})
