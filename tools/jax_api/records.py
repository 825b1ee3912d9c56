# SPDX-License-Identifier: Apache-2.0
"""Reads recorded calls of JAX (rows_*.jsonl.gz) and writes the part that the C++ side reads, one line per row."""

import array
import base64
import dataclasses
import gzip
import json
import pathlib
import struct

# Types of 64 bits are 32 bits wide without x64.
NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
# How Python packs an element; a complex number is two.
PACKED = {"bool": "B", "int2": "b", "int4": "b", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint2": "B",
          "uint4": "B", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f",
          "float64": "d", "complex64": "f", "complex128": "d"}
INTEGER_BITS = {"int32": 32, "uint32": 32}


@dataclasses.dataclass
class Row:
    """A recorded call. Arrays and keys in it have their number as "leaf" and "key_leaf"."""
    data: dict
    arrays: list
    keys: list

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def fails(self) -> bool:
        return is_error(self.data["out"])


def read_rows(folder: pathlib.Path) -> list[Row]:
    rows = []
    for path in sorted(folder.glob("rows_*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            rows += [numbered(json.loads(line)) for line in lines]
    fill_errors(rows)
    return rows


def numbered(data: dict) -> Row:
    row = Row(data, [], [])
    values = list(data["args"]) + list(data["kwargs"].values())
    if data.get("call"):
        values += list(data["call"]["args"]) + list(data["call"]["kwargs"].values())
    for value in values:
        number(value, row)
    return row


def number(value, row: Row) -> None:
    """Numbers arrays depth first, as in the rows' "jvp", and keys separately."""
    if isinstance(value, list):
        for element in value:
            number(element, row)
    elif isinstance(value, dict):
        if "array" in value:
            value["leaf"] = len(row.arrays)
            row.arrays.append(value)
        elif "key" in value:
            value["key_leaf"] = len(row.keys)
            row.keys.append(value["key"])
        elif "made" in value:
            number(value["made"]["args"] + list(value["made"]["kwargs"].values()), row)
        else:
            for kind in ("tuple", "dict", "pairs", "fields", "slice"):
                if kind in value:
                    number(list(value[kind].values()) if isinstance(value[kind], dict) else value[kind], row)


def fill_errors(rows: list[Row]) -> None:
    """Sets err64 of rows without it to the maximum over rows of their name and type."""
    largest = {}
    for row in rows:
        if "err64" in row.data:
            key = (row.name, type_of(row.data["out"]))
            largest[key] = max(largest.get(key, 0.0), row.data["err64"])
    for row in rows:
        row.data.setdefault("err64", largest.get((row.name, type_of(row.data["out"])), 0.0))


def type_of(value) -> str:
    """Returns the type of the first array in a value."""
    if isinstance(value, list):
        return next((found for found in map(type_of, value) if found), "")
    if not isinstance(value, dict):
        return ""
    if "array" in value:
        return value["array"]["dtype"]
    return next((found for found in map(type_of, value.values()) if found), "")


def is_error(value) -> bool:
    return isinstance(value, dict) and set(value) == {"error"}


# ---- lines ----------------------------------------------------------------------------------------------------------
def line_of(row: Row, form: int) -> str:
    data, x64 = row.data, row.data["x64"]
    words = [row.id, str(form), str(int(x64)), row.name, data["class"], data.get("random", "none"),
             repr(float(data["err64"])), str(len(row.arrays))]
    words += [array_words(value, x64) for value in row.arrays]
    words.append(str(len(row.keys)))
    words += [f"{key['impl']} {array_words(key['data'], x64)}" for key in row.keys]
    words.append("fails" if row.fails else "gives " + value_words(data["out"]))
    jvp = data.get("jvp", {"leaves": [], "tangents": [], "out": []})
    words.append(" ".join(map(str, [len(jvp["leaves"]), *jvp["leaves"]])))
    words += [array_words(tangent, x64) for tangent in jvp["tangents"]]
    words.append(str(len(jvp["out"])))
    words += [value_words(out) for out in jvp["out"]]
    return " ".join(words) + "\n"


def value_words(value) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"bool {int(value)}"
    if isinstance(value, int):
        return f"int {value}"
    if isinstance(value, str):
        return "text x" + value.encode().hex()
    if isinstance(value, list):
        return list_words(value)
    if "array" in value:
        return "array " + array_words(value, True)
    if "key" in value:
        return "key " + array_words(value["key"]["data"], True)
    if "tuple" in value:
        return list_words(value["tuple"])
    if "dict" in value:
        return list_words([value["dict"][key] for key in sorted(value["dict"])])
    if "fields" in value:
        return list_words(list(value["fields"].values()))
    if "slice" in value:
        return list_words(value["slice"])
    if "ellipsis" in value:
        return "text x" + b"...".hex()
    if "float" in value:
        return f"real {value['float']}"
    if "complex" in value:
        return f"complex {value['complex'][0]} {value['complex'][1]}"
    if "dtype" in value:
        return f"type {value['dtype']}"
    return "opaque"


def list_words(values: list) -> str:
    return " ".join([f"list {len(values)}", *map(value_words, values)])


def array_words(value: dict, x64: bool) -> str:
    """TYPE STORED WEAK RANK EXTENT... xBYTES"""
    found = value["array"]
    wanted = found["dtype"] if x64 else NARROWED.get(found["dtype"], found["dtype"])
    stored, contents = stored_bytes(found, wanted)
    words = [wanted, stored, str(int(bool(value.get("weak")))), str(len(found["shape"])), *map(str, found["shape"])]
    return " ".join([*words, "x" + contents.hex()])


def stored_bytes(found: dict, wanted: str) -> tuple[str, bytes]:
    if "list" in found:
        return packed(found["list"], wanted)
    contents = base64.b64decode(found["data"])
    if found["dtype"] == wanted:
        return wanted, contents
    elements = array.array(PACKED[found["dtype"]], contents)
    return packed(elements.tolist(), wanted)


def packed(elements: list, wanted: str) -> tuple[str, bytes]:
    if wanted not in PACKED:  # the narrow floats, whose values a f32 holds: cast by hilo
        return "float32", packed(elements, "float32")[1]
    letter = PACKED[wanted]
    if letter in "efd":
        return wanted, b"".join(packed_float(letter, float(element)) for element in elements)
    wrapped = [wrap(int(element), wanted) for element in elements]
    return wanted, struct.pack(f"<{len(wrapped)}{letter}", *wrapped)


def packed_float(letter: str, element: float) -> bytes:
    try:
        return struct.pack("<" + letter, element)
    except OverflowError:  # beyond the greatest number: infinite, as a cast is
        return struct.pack("<" + letter, float("inf") if element > 0 else float("-inf"))


def wrap(element: int, wanted: str) -> int:
    bits = INTEGER_BITS.get(wanted)
    if bits is None:
        return element
    element &= (1 << bits) - 1
    return element - (1 << bits) if wanted.startswith("int") and element >> (bits - 1) else element
