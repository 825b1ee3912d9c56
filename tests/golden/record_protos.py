# SPDX-License-Identifier: Apache-2.0
"""Writes tests/fuzz/hlo_proto/NAME.pb for every tests/fuzz/hlo_text/NAME.hlo, serialized by XLA, and sample.pb, the
text of tests/hlo/proto/sample.h. Needs jaxlib 0.10.2."""
import pathlib
import re

from jaxlib import _hlo

TESTS = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = re.search(r'R"\((.*)\)"', (TESTS / "hlo/proto/sample.h").read_text(), re.DOTALL).group(1)
texts = {path.stem: path.read_text() for path in (TESTS / "fuzz/hlo_text").glob("*.hlo")} | {"sample": SAMPLE}
for name, text in texts.items():
    proto = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    (TESTS / "fuzz/hlo_proto" / f"{name}.pb").write_bytes(proto)
