# SPDX-License-Identifier: Apache-2.0
"""Converts a recorded call of JAX to C++ candidates by hilo's spelling rules (docs/internal/jax_api.md), the most
similar first.

Names are JAX's. Positional arguments keep their position. Keyword arguments are one struct at the end, in JAX's order,
or at their position, if hilo has no struct for them. No rule depends on a single row.
"""

import dataclasses
import json

from records import Row, is_error
from signatures import Parameter, entry_of, is_ufunc_method, parse
from variants import Variant, bound_arguments, variant_of, without_idle

CPP_WORDS = frozenset("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept
const constexpr continue decltype default delete do double else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union
unsigned using virtual void volatile while xor xor_eq""".split())
OPERATORS = {
    "__add__": "{0} + {1}", "__sub__": "{0} - {1}", "__mul__": "{0} * {1}", "__truediv__": "{0} / {1}",
    "__mod__": "{0} % {1}", "__and__": "{0} & {1}", "__or__": "{0} | {1}", "__xor__": "{0} ^ {1}", "__eq__": "{0} == {1}",
    "__ne__": "{0} != {1}", "__lt__": "{0} < {1}", "__le__": "{0} <= {1}", "__gt__": "{0} > {1}", "__ge__": "{0} >= {1}",
    "__neg__": "-{0}", "__invert__": "~{0}", "__pos__": "numpy::positive({0})", "__abs__": "numpy::abs({0})",
    "__pow__": "numpy::power({0}, {1})", "__matmul__": "numpy::matmul({0}, {1})",
    "__divmod__": "numpy::divmod({0}, {1})", "__floordiv__": "numpy::floor_divide({0}, {1})",
    "__lshift__": "numpy::left_shift({0}, {1})", "__rshift__": "numpy::right_shift({0}, {1})",
    "__len__": "{0}.shape(0)", "__round__": "numpy::round({0}, {1})", "__round__ alone": "numpy::astype(numpy::round({0}), numpy::int_)",
}
# Members of an array that a free function with another name computes.
MEMBERS = {"mT": "matrix_transpose", "T": "transpose", "flatten": "ravel"}
# Methods whose free function takes the array second.
SECOND = ("compress",)
# NumPy's arguments without effect on immutable arrays.
IGNORED = ("order", "kind", "out", "device", "copy", "casting", "stable", "out_sharding")
# If a flag adds parts to Python's result, C++ has another function. A row has the flags, that function (or one per
# flag; the first flag of the call selects it), and the results that each flag adds ("" for those that are always
# returned).
PARTED = {
    "jax.nn.dot_product_attention": (("return_residual",), "dot_product_attention_with_residual", None),
    "jax.nn.logsumexp": (("return_sign",), "logsumexp_with_sign", None),
    "jax.numpy.polyfit": (("full", "cov"), {"full": "polyfit_full", "cov": "polyfit_with_cov"}, None),
    "jax.numpy.average": (("returned",), "average_with_weights", None),
    "jax.numpy.linspace": (("retstep",), "linspace_with_step", None),
    "jax.numpy.indices": (("sparse",), "indices_sparse", None),
    "jax.numpy.intersect1d": (("return_indices",), "intersect1d_with_indices", None),
    "jax.numpy.unique": (("return_index", "return_inverse", "return_counts"), "unique_all",
                         {"": "values", "return_index": "indices", "return_inverse": "inverse_indices",
                          "return_counts": "counts"}),
}
# Texts that are types: "float32" for jnp.float32.
TYPES = frozenset("""bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float16 bfloat16 float32
float64 complex64 complex128""".split())
# Functions of types to which a number says Python's type of it, which is weak: promote_types(1.0, float32).
OF_WEAK_TYPES = ("jax.numpy.promote_types", "jax.numpy.result_type")
NUMBERS = {"bool": True, "int": 1, "float": {"float": 1.0}, "complex": {"complex": [1, 0]}}
INITIALIZER = parse("key, shape, dtype=..., out_sharding=None")


def cpp_word(word: str) -> str:
    return word + "_" if word in CPP_WORDS else word


def cpp_names(name: str) -> list[str]:
    """Returns the C++ names for one of JAX: one, or two for names that optax has in two modules."""
    parts = name.split(".")
    if parts[0] == "array":
        return []
    if parts[0] == "optax":
        names = [["optim", *parts[1:]]]
        if len(parts) > 2:
            names.append(["optim", parts[-1]])
    else:
        parts = parts[1:]
        names = [parts[1:] if parts[0] == "numpy" and parts[1] in ("linalg", "fft") and len(parts) > 2 else parts]
    return ["::".join(map(cpp_word, parts)) for parts in names]


class Unspelled(Exception):
    """Raised for a value that can't be written in C++."""


# ---- values ---------------------------------------------------------------------------------------------------------
def spell(value, literal: bool) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return spell_integer(value)
    if isinstance(value, str):
        return "numpy::" + cpp_word(value) if value in TYPES else json.dumps(value)
    if isinstance(value, list):
        return spell_list(value, literal)
    kind = next(key for key in value if key not in ("np", "weak", "fields", "leaf", "key_leaf"))
    return SPELLERS[kind](value, literal)


def spell_integer(value: int) -> str:
    """C++ has no integers of more than 64 bits: returns the nearest one that it has."""
    value = max(-2**63, min(value, 2**64 - 1))
    if value == -2**63:
        return "(-9223372036854775807 - 1)"
    return f"{value}u" if value >= 2**63 else str(value)


def spell_float(value, _literal=False) -> str:
    number = value["float"] if isinstance(value, dict) else value
    text = repr(number) if not isinstance(number, str) else number
    named = {"nan": "numpy::nan", "inf": "numpy::inf", "-inf": "-numpy::inf", "-nan": "-numpy::nan"}
    if text in named:
        return named[text]
    return text if any(letter in text for letter in ".e") else text + ".0"


def spell_complex(value, _literal) -> str:
    parts = [spell_float(part if isinstance(part, str) else float(part)) for part in value["complex"]]
    return f"std::complex<double>({parts[0]}, {parts[1]})"


def spell_array(value, literal) -> str:
    if literal and can_be_literal(value):
        return spell_nested(value["array"]["list"], value["array"]["shape"], value["array"]["dtype"])
    return f"in.array({value['leaf']})"


def can_be_literal(value) -> bool:
    return bool(value.get("np")) and "list" in value["array"] and "complex" not in value["array"]["dtype"]


def spell_nested(elements: list, shape: list, dtype: str) -> str:
    if not shape:
        if dtype == "bool":
            return "true" if elements[0] else "false"
        return spell_float(elements[0]) if "float" in dtype else spell_integer(int(elements[0]))
    step = len(elements) // shape[0] if shape[0] else 0
    parts = [spell_nested(elements[i * step:(i + 1) * step], shape[1:], dtype) for i in range(shape[0])]
    return "{" + ", ".join(parts) + "}"


def spell_list(values: list, literal: bool) -> str:
    # A NumPy scalar among numbers is one of them: (3, np.int32(4)) is a shape.
    scalars = all(isinstance(value, dict) and value.get("np") == 2 for value in values) and len(
        {value["array"]["dtype"] for value in values}) == 1
    numbers = scalars or any(isinstance(value, (int, float)) for value in values) or literal
    texts = [spell(value, literal or (numbers and isinstance(value, dict) and value.get("np") == 2)) for value in values]
    if literal == "extents":  # an array of no axes among integers: a shape, (jnp.array(3), 1)
        texts = [f"int64_t({text})" if text.startswith("in.array(") else text for text in texts]
    if len(values) == 1 and texts[0].startswith("in.array("):
        return f"std::vector<Array>{{{texts[0]}}}"
    if len(values) == 1 and texts[0].startswith("std::vector<Array>{"):
        return f"std::vector<std::vector<Array>>{{{texts[0]}}}"
    if len(values) == 1 and texts[0].startswith("in.key("):
        return f"std::vector<random::Key>{{{texts[0]}}}"
    return "{" + ", ".join(texts) + "}"


def spell_dict(value, literal) -> str:
    pairs = sorted(value["dict"].items()) if "dict" in value else value["pairs"]
    texts = [f"{{{spell(key, literal)}, {spell(item, literal)}}}" for key, item in pairs]
    items = [item for _, item in pairs]
    kind = ""
    if items and all(isinstance(item, dict) and "array" in item for item in items) and "dict" in value:
        kind = "std::map<std::string, Array>"
    elif items and all(isinstance(item, str) for item in items) and "dict" in value:
        kind = "std::map<std::string, std::string>"
    elif items and all(isinstance(item, bool) for item in items) and "dict" in value:
        kind = "std::map<std::string, bool>"
    return kind + "{" + ", ".join(texts) + "}"


def spell_slice(value, literal) -> str:
    start, stop, step = (spell(bound, literal) for bound in value["slice"])
    if (start, stop, step) == ("none", "none", "none"):
        return "all"
    return f"range({start}, {stop})" if step == "none" else f"range({start}, {stop}, {step})"


def spell_type(value, _literal) -> str:
    """Writes an element type as a value, and the type of a random generator's keys as its name."""
    name = value["dtype"]
    return "numpy::" + cpp_word(name) if name in TYPES or name.startswith("float") else json.dumps(name)


def spell_python_type(value, _literal) -> str:
    return {"bool": "numpy::bool_", "int": "numpy::int_", "float": "numpy::float_",
            "complex": "numpy::complex_"}[value["pytype"]]


def spell_name(text: str) -> str:
    return cpp_names(text)[0]


def spell_function(value, _literal) -> str:
    name = value["fn"]
    if name.startswith("case."):
        return "cases::" + cpp_word(name[5:])
    return f"HILO_FN({spell_name(name)})"


def spell_struct(value, literal) -> str:
    fields = [(name, item) for name, item in value["fields"].items() if item is not None]
    return spell_name(value["tree"]) + spell_options(fields, literal)


def spell_made(value, literal) -> str:
    made = value["made"]
    return call_texts(made["name"], made["args"], made["kwargs"], literal)[0]


SPELLERS = {
    "float": spell_float, "complex": spell_complex, "array": spell_array, "dict": spell_dict, "pairs": spell_dict,
    "slice": spell_slice, "dtype": spell_type, "pytype": spell_python_type, "fn": spell_function, "tree": spell_struct,
    "made": spell_made, "tuple": lambda value, literal: spell_list(value["tuple"], literal),
    "ellipsis": lambda value, literal: "ellipsis", "key": lambda value, literal: f"in.key({value['key_leaf']})",
    "has_aux": lambda value, literal: f"has_aux({spell(value['has_aux'], literal)})",
    "attr": lambda value, literal: spell_name(value["attr"]), "enum": lambda value, literal: spell_name(value["enum"]),
}


def spell_options(named: list, literal: bool) -> str:
    return "{" + ", ".join(f".{cpp_word(name)} = {spell(value, literal)}" for name, value in named) + "}"


def spell_argument(value, style: str, i: int) -> str:
    """Writes a positional argument, or a keyword argument (after all positions)."""
    if style == "arrays" and is_list_of_numbers(value):
        return f"numpy::array({spell(value, False)})"
    if style == "extents":
        return spell(value, "extents" if isinstance(value, dict) and "tuple" in value else False)
    return spell(value, style == "all" or (style == "behind" and i > 0))


def spell_named(name: str, value, style: str) -> str:
    """Writes a keyword argument."""
    if isinstance(value, Default):
        return value.text
    return NO_AXES.text if is_no_axes(name, value) else spell_argument(value, style, 1)


def is_list_of_numbers(value) -> bool:
    """[1, 2], ((1, 2), (3, 4)): lists that NumPy converts to arrays."""
    elements = value["tuple"] if isinstance(value, dict) and "tuple" in value else value
    return isinstance(elements, list) and bool(elements) and all(
        is_list_of_numbers(element) or isinstance(element, (int, float))
        or (isinstance(element, dict) and ("float" in element or element.get("np") == 2)) for element in elements)


def is_shape_with_arrays(value) -> bool:
    """(jnp.array(3), 1)"""
    elements = value["tuple"] if isinstance(value, dict) and "tuple" in value else []
    scalars = [element for element in elements if isinstance(element, dict) and element.get("array", {}).get("shape") == []]
    return bool(scalars) and all(isinstance(element, int) or element in scalars for element in elements)


def spell_index(value) -> str:
    """Writes the content of x[...] as arguments of x(...)."""
    parts = value["tuple"] if isinstance(value, dict) and "tuple" in value else [value]
    texts = []
    for part in parts:
        if part is None:
            texts.append("newaxis")
        elif isinstance(part, list) or (isinstance(part, dict) and "tuple" in part):
            texts.append(f"numpy::array({spell(part, False)})")
        else:
            texts.append(spell(part, False))
    return ", ".join(texts) if texts else "ellipsis"


# ---- arguments ------------------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class Default:
    """Replaces an argument that the row omits, before one that it has."""
    text: str


# No axes, (), are a list: the braces of an empty one would mean that none are given.
NO_AXES = Default("std::vector<int64_t>{}")


def is_no_axes(name: str, value) -> bool:
    return name in ("axis", "axes") and (value == [] or (isinstance(value, dict) and value.get("tuple") == []))


def with_no_axes(parameters: tuple[Parameter, ...], args: list) -> list:
    """Returns the positional arguments, with () of axes replaced."""
    names = [parameter.name for parameter in parameters if parameter.kind == "positional"]
    return [NO_AXES if i < len(names) and is_no_axes(names[i], value) else value for i, value in enumerate(args)]


def splits(parameters: tuple[Parameter, ...], args: list, kwargs: dict) -> list[tuple[list, list]]:
    """Yields the splits into positional arguments and arguments in the struct at the end; the most similar to the row
    first."""
    order = {parameter.name: i for i, parameter in enumerate(parameters)}
    named = sorted(kwargs.items(), key=lambda pair: order.get(pair[0], len(order)))
    ways = [(list(args), named)]
    starred = next((i for i, parameter in enumerate(parameters) if parameter.kind == "list"), None)
    if starred is not None and len(args) > starred:
        ways.append((args[:starred] + [list(args[starred:])], named))
    defaults = {parameter.name for parameter in parameters if parameter.default == "None"}
    kept = [(name, value) for name, value in named if value is not None or name not in defaults]
    if kept != named:
        ways += [(positional, kept) for positional, _ in list(ways)]
    places = [parameter for parameter in parameters if parameter.kind == "positional"]
    if starred is None:
        ways += at_their_places(places, args, kept)
        ways += into_the_struct(places, args, kept)
    return ways


def at_their_places(places: list[Parameter], args: list, named: list) -> list[tuple[list, list]]:
    """Moves keyword arguments to their positions, one after the other."""
    ways, positional, rest = [], list(args), dict(named)
    while rest and len(positional) < len(places):
        parameter = places[len(positional)]
        if parameter.name in rest:
            positional = [*positional, rest.pop(parameter.name)]
            ways.append((positional, list(rest.items())))
        elif parameter.default is not None and simple_default(parameter.default) is not None:
            positional = [*positional, Default(simple_default(parameter.default))]
        else:
            break
    return ways


def into_the_struct(places: list[Parameter], args: list, named: list) -> list[tuple[list, list]]:
    """Moves the last positional arguments into the struct, one after the other."""
    ways = []
    for count in range(len(args) - 1, 0, -1):
        if len(args) > len(places):
            break
        moved = [(places[i].name, args[i]) for i in range(count, len(args))]
        ways.append((args[:count], moved + named))
    return ways


def simple_default(text: str) -> str | None:
    known = {"None": "none", "True": "true", "False": "false", "()": "{}"}
    if text in known:
        return known[text]
    if text.startswith("'"):
        return '"' + text.strip("'") + '"'
    return text if text.lstrip("-").replace(".", "", 1).isdigit() else None


def argument_text(way: tuple[list, list], style: str) -> str:
    """`style` selects which NumPy arrays are written as numbers (none, those "behind" the first argument, all), that
    lists of numbers are "arrays", or that arrays in tuples are "extents"."""
    positional, named = way
    texts = [value.text if isinstance(value, Default) else spell_argument(value, style, i)
             for i, value in enumerate(positional)]
    if named:
        fields = [f".{cpp_word(name)} = {spell_named(name, value, style)}" for name, value in named]
        texts.append("{" + ", ".join(fields) + "}")
    return ", ".join(texts)


def call_texts(name: str, args: list, kwargs: dict, literal) -> list[str]:
    """Yields calls of a function by its name, as C++."""
    kinds = {False: "none", True: "all"}
    literal = kinds.get(literal, literal)
    entry = entry_of(name)
    if name.endswith(".__getitem__"):
        return [f"{function}({text})" for function in cpp_names(name[:-len(".__getitem__")])
                for text in (spell_index(args[0]), "{" + spell_index(args[0]) + "}")]
    texts, args = [], with_no_axes(entry.parameters, args)
    for way in splits(entry.parameters, args, kwargs):
        for function in cpp_names(name):
            head, _, method = function.rpartition("::")
            if is_ufunc_method(name):
                function = f"{head}.{method}"
            texts.append(f"{function}({argument_text(way, literal)})")
    if not args and not kwargs:
        texts = [*cpp_names(name), *texts] if entry.kind == "constant" else [*texts, *cpp_names(name)]
    return texts


def member_texts(name: str, args: list, kwargs: dict, literal: str, ignoring: bool = True) -> list[str]:
    """A method or property of an array."""
    member = name.removeprefix("array.")
    x = spell(args[0], False)
    if name == "array.getitem":
        return [f"{x}({spell_index(args[1])})"]
    if name.startswith("array.at."):
        places = f"{x}.at({spell_index(args[1])})"
        return [f"{places}.{name[9:]}({argument_text(way, literal)})"
                for way in splits(entry_of(name).parameters, args[2:], kwargs)]
    if member.startswith("__"):
        return operator_texts(member, [spell(value, False) for value in args])
    kept = {key: value for key, value in kwargs.items() if key not in IGNORED}
    texts, free = [], MEMBERS.get(member, member)
    parameters = entry_of(name).parameters
    for keywords in ([kwargs, kept] if kept != kwargs and ignoring else [kwargs]):
        ways = splits(parameters, args[1:], keywords)
        texts += [f"{x}.{cpp_word(member)}({argument_text(way, literal)})" for way in ways]
        free_parameters = entry_of("jax.numpy." + free).parameters or (Parameter("a", "positional", None), *parameters)
        in_order = [args[1], args[0], *args[2:]] if member in SECOND else args
        ways = splits(free_parameters, in_order, keywords)
        if any(parameter.kind == "list" for parameter in parameters):  # x.transpose(1, 0) is transpose(x, {1, 0})
            ways += splits(free_parameters, [args[0], list(args[1:])], keywords)
        texts += [f"numpy::{cpp_word(free)}({argument_text(way, literal)})" for way in ways]
    return texts


def operator_texts(member: str, operands: list[str]) -> list[str]:
    pattern = OPERATORS.get(member)
    if pattern is None and member.startswith("__r"):
        pattern, operands = OPERATORS.get("__" + member[3:]), operands[::-1]
    if member + " alone" in OPERATORS and len(operands) == 1:
        pattern = OPERATORS[member + " alone"]
    if pattern is None:
        raise Unspelled(f"no spelling of {member}")
    if pattern.count("{") > len(operands):
        pattern = pattern.replace(", {1}", "")
    return [pattern.format(*operands)]


def with_wrapped_solver(name: str, args: list, kwargs: dict) -> tuple[list, dict]:
    """custom_root(f, x, solve, ..., has_aux=True) takes has_aux(solve), so that the compiler knows the solver's result
    type."""
    if name == "jax.lax.custom_linear_solve" and ("transpose_solve" in kwargs or len(args) > 3):
        kwargs = {key: value for key, value in kwargs.items() if key != "symmetric"}  # transpose_solve says more
    if name not in ("jax.lax.custom_root", "jax.lax.custom_linear_solve") or "has_aux" not in kwargs:
        return args, kwargs
    kept = {key: value for key, value in kwargs.items() if key != "has_aux"}
    if not kwargs["has_aux"]:
        return args, kept
    if len(args) > 2:
        return [*args[:2], {"has_aux": args[2]}, *args[3:]], kept
    return args, {**kept, "solve": {"has_aux": kept["solve"]}}


def with_numbers_for_types(name: str, args: list) -> list:
    if name not in OF_WEAK_TYPES:
        return args
    return [NUMBERS[value["pytype"]] if isinstance(value, dict) and "pytype" in value else value for value in args]


# ---- rows -----------------------------------------------------------------------------------------------------------
def forms_of(row: Row) -> list[str]:
    """Yields bodies of C++ functions for a row, the most similar first, without duplicates."""
    literals = ["none"]
    if row.fails:  # what must fail isn't helped to compile
        return list(dict.fromkeys(bodies_of(row.data, "none")))
    if any(can_be_literal(value) for value in row.arrays):
        literals += ["behind", "all"]
    if any(is_list_of_numbers(value) for value in [*row.data["args"], *row.data["kwargs"].values()]):
        literals.append("arrays")
    if any(is_shape_with_arrays(value) for value in [*row.data["args"], *row.data["kwargs"].values()]):
        literals.append("extents")
    bodies = []
    for literal in literals:
        bodies += bodies_of(row.data, literal)
    return list(dict.fromkeys(bodies))


def bodies_of(data: dict, literal: str) -> list[str]:
    name, args, kwargs, then = data["name"], data["args"], data["kwargs"], data.get("call")
    parameters = entry_of(name).parameters
    if then and then["method"] == "vmap":
        return vmap_bodies(name, args, without_idle(name, parameters, args, kwargs)[1], then, literal)
    args = with_numbers_for_types(name, args)
    args, kwargs = without_idle(name, parameters, *with_wrapped_solver(name, args, kwargs))
    variant = variant_of(name, parameters, args, kwargs)
    if variant is not None and then is None:
        return variant_bodies(variant, parameters, args, kwargs, literal)
    if name in PARTED:
        parted = parted_bodies(name, args, kwargs, literal)
        if parted is not None:
            return parted
    if name.startswith("array."):
        expressions = member_texts(name, args, kwargs, literal, ignoring=not is_error(data["out"]))
    else:
        expressions = call_texts(name, args, kwargs, literal)
    if then is None and data["out"] is None:  # what gives nothing is a statement
        statements = [f"static_assert(std::is_void_v<decltype({expression})>);\n  {expression};\n  return Value();"
                      for expression in expressions]
        return [f"return value_of({expression});" for expression in expressions] + statements
    if then is None:
        return [f"return value_of({expression});" for expression in expressions]
    return [body for expression in expressions for body in then_bodies(name, expression, then, literal)]


def variant_bodies(variant: Variant, parameters: tuple, args: list, kwargs: dict, style: str) -> list[str]:
    """Yields calls whose flags select another function."""
    left_out = {*variant.flags, *variant.dropped} - {*variant.kept}
    kept = tuple(parameter for parameter in parameters if parameter.name not in left_out)
    bound = bound_arguments(parameters, args, kwargs)
    needed = [parameter.name for parameter in kept if parameter.default is None and parameter.name in bound]
    keywords = {key: value for key, value in bound.items() if key not in left_out and key not in needed}
    bodies = []
    for way in splits(kept, [bound[key] for key in needed], keywords):
        call = f"{variant.function}({argument_text(way, style)})"
        fields = ", ".join(f"value_of(x.{field})" for field in variant.fields)
        bodies.append(f"const auto x = {call};\n  return list_of({{{fields}}});" if fields else f"return value_of({call});")
    return bodies


def parted_bodies(name: str, args: list, kwargs: dict, style: str) -> list[str] | None:
    """Yields calls whose positional or keyword flags add parts to the result; None without a flag."""
    flags, function, parts = PARTED[name]
    parameters = entry_of(name).parameters
    names = [parameter.name for parameter in parameters]
    bound = {**dict(zip(names, args)), **kwargs}
    if not any(flag in bound for flag in flags):
        return None
    kept = [parameter for parameter in parameters if parameter.name not in flags]
    needed = [parameter.name for parameter in kept if parameter.default is None and parameter.name in bound]
    keywords = {key: value for key, value in bound.items() if key not in flags and key not in needed}
    given = [flag for flag in flags if bound.get(flag)]
    space, _, plain = cpp_names(name)[0].rpartition("::")
    chosen = function[given[0]] if given and isinstance(function, dict) else function
    target = f"{space}::{chosen if given else plain}"
    bodies = []
    for way in splits(tuple(kept), [bound[key] for key in needed], keywords):
        call = f"{target}({argument_text(way, style)})"
        if given and parts:
            fields = ", ".join(f"value_of(x.{parts[flag]})" for flag in ["", *given])
            bodies.append(f"const auto x = {call};\n  return list_of({{{fields}}});")
        else:
            bodies.append(f"return value_of({call});")
    return bodies


def vmap_bodies(name: str, args: list, kwargs: dict, then: dict, literal: str) -> list[str]:
    passed = then["kwargs"].get("passed", True)
    x = {"array": {}, "leaf": "x"}
    expressions = call_texts(name, [x, *args] if passed else args, kwargs, literal)
    over = spell(then["args"][0], False)
    return ["const auto f = [&]([[maybe_unused]] const Array& x) { return " + expression.replace("in.array(x)", "x") +
            f"; }};\n  return value_of(vmap(f, {{.axis_name = \"i\"}})({over}));" for expression in expressions]


def then_bodies(name: str, expression: str, then: dict, literal: str) -> list[str]:
    method, args, kwargs = then["method"], then["args"], then["kwargs"]
    if method == "__call__":
        parameters = INITIALIZER if ".initializers." in name else ()
        return [f"const auto f = {expression};\n  return value_of(f({argument_text(way, literal)}));"
                for way in splits(parameters, args, kwargs)]
    if method == "map":
        values = args[0]["tuple"] if isinstance(args[0], dict) and "tuple" in args[0] else args[0]
        calls = ", ".join(f"value_of(f({spell(value, False)}))" for value in values)
        return [f"const auto f = {expression};\n  return list_of({{{calls}}});"]
    if method == "steps":
        return [steps_body(expression, args, kwargs)]
    ways = splits((), args, kwargs)
    calls = [f"({expression}).{cpp_word(method)}({argument_text(way, literal)})" for way in ways]
    if not args and not kwargs:
        calls.insert(0, f"({expression}).{cpp_word(method)}")
    return [f"return value_of({call});" for call in calls]


def steps_body(expression: str, args: list, kwargs: dict) -> str:
    """Writes a transformation of optax: the parameters after each step."""
    params, gradients = args
    gradients = gradients["tuple"] if isinstance(gradients, dict) else gradients
    lines = [f"const auto tx = {expression};", f"auto params = {spell(params, False)};", "auto state = tx.init(params);",
             "std::vector<Value> out;"]
    if "value_fn" in kwargs:  # the gradients are the function's; the row's only say how many steps there are
        function = spell(kwargs["value_fn"], False)
        taken = f"const auto [value, g] = value_and_grad({function})(params);"
        options = f", {{.value = value, .grad = g, .value_fn = {function}}}"
    else:
        listed = ", ".join(spell(gradient, False) for gradient in gradients)
        lines.append(f"const std::vector<decltype(params)> gradients = {{{listed}}};")
        taken, options = "const auto& g = gradients[i];", ""
    if "values" in kwargs:
        lines.append(f"const std::vector<Array> values = {spell(kwargs['values'], False)};")
        options = ", {.value = values[i]}"
    lines += [f"for (size_t i = 0; i < {len(gradients)}; ++i) {{", f"  {taken}",
              f"  auto [updates, next] = tx.update(g, state, params{options});", "  state = next;",
              "  params = optim::apply_updates(params, updates);", "  out.push_back(value_of(params));", "}"]
    return "\n  ".join([*lines, "return list_of(out);"])

