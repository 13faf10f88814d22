"""CITATION.cff, and the places elsewhere that set the checkout up: they have to agree with it and with docker/."""

import json
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_has_what_its_format_wants():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cff["cff-version"] == "1.2.0" and cff["type"] == "software"
    assert cff["message"] and cff["authors"] == [{"name": "The dpbandits authors"}]
    known = {"abstract", "authors", "cff-version", "keywords", "license", "message", "repository-code", "title", "type", "version"}
    assert set(cff) == known
    release = (ROOT / "pkg" / "simulate" / "release.go").read_text()
    assert re.search(r'^const Release = "v(.+)"$', release, re.MULTILINE)[1] == cff["version"]
    assert cff["license"] == "Apache-2.0" and "Apache License" in (ROOT / "LICENSE").read_text()
    module = re.search(r"^module (\S+)$", (ROOT / "go.mod").read_text(), re.MULTILINE)[1]
    assert cff["repository-code"] == f"https://{module}"


def test_the_readme_cites_the_same():
    cff, readme = yaml.safe_load((ROOT / "CITATION.cff").read_text()), (ROOT / "README.md").read_text()
    bibtex = re.search(r"@software\{.*?\n\s*\}\n", readme, re.DOTALL)[0]
    for value in (cff["title"], cff["authors"][0]["name"], cff["repository-code"], cff["version"]):
        assert "{" + value + "}" in bibtex, value


def packages(dockerfile):
    return re.search(r"--no-install-recommends \\\n\s*(.*?) \\\n", dockerfile)[1].split()


def test_binder_and_the_image_want_the_same():
    image, binder = (ROOT / "docker" / "Dockerfile").read_text(), (ROOT / ".binder" / "Dockerfile").read_text()
    assert packages(binder) == packages(image)
    assert re.search(r"^ARG GO=(\S+)$", image, re.MULTILINE)[1] == re.search(r"^FROM (\S+)$", binder, re.MULTILINE)[1]
    for entry in json.loads(re.search(r"^ENTRYPOINT (.*)$", binder, re.MULTILINE)[1])[2:]:
        assert (ROOT / entry).exists()


def test_the_devcontainer_builds_a_stage_that_there_is():
    place = ROOT / ".devcontainer" / "devcontainer.json"
    made = json.loads(place.read_text())
    dockerfile = (place.parent / made["build"]["dockerfile"]).read_text()
    assert re.search(rf"^FROM \S+ AS {made['build']['target']}$", dockerfile, re.MULTILINE)
    assert f"useradd --create-home {made['remoteUser']}" in dockerfile
    script, *steps = made["postCreateCommand"].split()
    text = (ROOT / script).read_text()
    for step in steps:
        assert f"\nstep_{step}() {{" in text, step
