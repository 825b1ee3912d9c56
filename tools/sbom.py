#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the product consists of, as SPDX 2.3 (JSON): hilo and each package of tools/packages.txt that is compiled
in, linked or opened at run time. Source: ISO/IEC 5962, SPDX specification 2.3, clauses 6 to 11."""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The part that a package has in the product (tools/packages.txt) -> SPDX's relationship of hilo to it.
RELATIONSHIPS = {"inside": "STATIC_LINK", "linked": "DYNAMIC_LINK", "opened": "OPTIONAL_COMPONENT_OF", "headers": "CONTAINS"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "hilo.spdx.json")
    out = parser.parse_args().out
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document(), indent=1) + "\n")
    print(out)
    return 0


def document() -> dict:
    version = re.search(r"project\(hilo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    commit, seconds = git("rev-parse", "HEAD"), int(git("log", "-1", "--format=%ct"))  # the commit's: equal sources, equal files
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = {"name": "hilo", "SPDXID": "SPDXRef-hilo", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
           "checksums": [{"algorithm": "SHA1", "checksumValue": commit}]}
    parts = product_parts()
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"hilo-{version}",
            "documentNamespace": f"urn:hilo:{version}:{commit}",
            "creationInfo": {"created": created, "creators": ["Tool: tools/sbom.py"]},
            "packages": [own, *(package(*part) for part in parts)],
            "relationships": [related("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-hilo"), *(relationship(name, part) for name, part, _ in parts)]}


def product_parts() -> list[tuple[str, str, str]]:
    """Returns (package, part, licence) of all that isn't only a tool."""
    rows = [[cell.strip() for cell in line.split("|")] for line in (ROOT / "tools" / "packages.txt").read_text().splitlines()
            if not line.startswith("#")]
    return [(row[0], row[2], row[3]) for row in rows if len(row) == 6 and row[2] in RELATIONSHIPS]


def package(name: str, part: str, licence: str) -> dict:
    return {"name": name, "SPDXID": identifier(name), "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": f"{part}: the package of Debian",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{name}"}]}


def relationship(name: str, part: str) -> dict:
    if RELATIONSHIPS[part] == "OPTIONAL_COMPONENT_OF":
        return related(identifier(name), RELATIONSHIPS[part], "SPDXRef-hilo")
    return related("SPDXRef-hilo", RELATIONSHIPS[part], identifier(name))


def related(from_id: str, kind: str, to_id: str) -> dict:
    return {"spdxElementId": from_id, "relationshipType": kind, "relatedSpdxElement": to_id}


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
