# SPDX-License-Identifier: Apache-2.0
"""fans.py -- chains of small computations, each of which calls the previous one twice: inlined they would be 2^levels
copies.

FANS has a function of the number of levels for each kind of call. The size of the text is proportional to the number of
levels."""

SUM = "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n"
LESS = "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT }\n"


def chain(levels, first, level, entry, before="", of="f32[4]"):
    """`first`: the body of f0; `level`: the body of f{k}, where F is f{k-1}; `entry`: that of the entry, where F is
    the last."""
    text = f"HloModule fan\n{before}f0 {{ p = {of} parameter(0)\n{first} }}\n"
    for k in range(1, levels + 1):
        text += f"f{k} {{ p = {of} parameter(0)\n{level.replace('F', f'f{k - 1}')} }}\n"
    return text + "ENTRY e {\n" + entry.replace("F", f"f{levels}") + " }\n"


ADD = " ROOT r = f32[4] add(p, p)"
MAIN = " p = f32[4] parameter(0)\n ROOT r = f32[4] call(p), to_apply=F"


def twice(instruction, of="f32[4]"):
    """The same instruction on p, then on its result. X stands for the operand."""
    return f" a = {of} {instruction.replace('X', 'p')}\n ROOT b = {of} {instruction.replace('X', 'a')}"


def calls(levels):
    return chain(levels, ADD, twice("call(X), to_apply=F"), MAIN)


def fusions(levels):
    return chain(levels, ADD, twice("fusion(X), kind=kLoop, calls=F"), MAIN.replace("call(p), to_apply=F", "fusion(p), kind=kLoop, calls=F"))


def large_calls(levels):
    """Each body is larger than what is always inlined."""
    many = "".join(f" x{k} = f32[4] {'sine' if k % 2 else 'add'}({f'x{k - 1}' if k else 'p'}{'' if k % 2 else f', p'})\n"
                   for k in range(40))
    return chain(levels, many + " ROOT r = f32[4] add(x39, p)",
                 many + " a = f32[4] call(x39), to_apply=F\n ROOT b = f32[4] call(a), to_apply=F", MAIN)


def maps(levels):
    return chain(levels, " ROOT r = f32[] add(p, p)", twice("map(X), dimensions={}, to_apply=F", "f32[]"),
                 " p = f32[4] parameter(0)\n ROOT r = f32[4] map(p), dimensions={0}, to_apply=F", of="f32[]")


def conditionals(levels):
    return chain(levels, ADD, " z = f32[] constant(0)\n s = f32[1] slice(p), slice={[0:1]}\n v = f32[] reshape(s)\n"
                 " c = pred[] compare(v, z), direction=LT\n" + twice("conditional(c, X, X), true_computation=F, false_computation=F"),
                 MAIN)


def known_conditionals(levels):
    return chain(levels, ADD, " c = pred[] constant(true)\n" +
                 twice("conditional(c, X, X), true_computation=F, false_computation=f0"), MAIN)


def switches(levels):
    return chain(levels, ADD, " i = s32[] constant(1)\n" + twice("conditional(i, X, X, X), branch_computations={f0, F, F}"), MAIN)


CARRY = "(s32[], f32[4])"
ONCE = ("cond { p = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(p), index=0\n k = s32[] constant(1)\n"
        " ROOT r = pred[] compare(i, k), direction=LT }\n")
STEP = (" i = s32[] get-tuple-element(p), index=0\n x = f32[4] get-tuple-element(p), index=1\n one = s32[] constant(1)\n"
        " j = s32[] add(i, one)\n")


def whiles(levels, condition=ONCE, init=" zero = s32[] constant(0)\n"):
    loop = (init + " t = (s32[], f32[4]) tuple(zero, x)\n a = (s32[], f32[4]) while(t), condition=cond, body=F\n"
            " ax = f32[4] get-tuple-element(a), index=1\n u = (s32[], f32[4]) tuple(zero, ax)\n"
            " b = (s32[], f32[4]) while(u), condition=cond, body=F\n bx = f32[4] get-tuple-element(b), index=1\n"
            " ROOT r = (s32[], f32[4]) tuple(j, bx)")
    return chain(levels, STEP + " y = f32[4] add(x, x)\n ROOT r = (s32[], f32[4]) tuple(j, y)", STEP + loop,
                 " x = f32[4] parameter(0)\n zero = s32[] constant(0)\n t = (s32[], f32[4]) tuple(zero, x)\n"
                 " ROOT r = (s32[], f32[4]) while(t), condition=cond, body=F", before=condition, of=CARRY)


def unknown_whiles(levels):
    """The number of turns is not in the text."""
    return whiles(levels, ONCE.replace("k = s32[] constant(1)", "x = f32[4] get-tuple-element(p), index=1\n"
                                       " s = f32[1] slice(x), slice={[0:1]}\n v = f32[] reshape(s)\n k = s32[] convert(v)"))


def while_conditions(levels):
    """The condition of each loop calls the one before."""
    text = "HloModule fan\nbody { p = s32[] parameter(0)\n o = s32[] constant(1)\n ROOT r = s32[] add(p, o) }\n"
    text += "f0 { p = s32[] parameter(0)\n k = s32[] constant(3)\n ROOT r = pred[] compare(p, k), direction=LT }\n"
    for k in range(1, levels + 1):
        text += (f"f{k} {{ p = s32[] parameter(0)\n a = s32[] while(p), condition=f{k - 1}, body=body\n"
                 f" b = s32[] while(a), condition=f{k - 1}, body=body\n ROOT r = pred[] compare(b, p), direction=LT }}\n")
    return text + f"ENTRY e {{ p = s32[] parameter(0)\n ROOT r = s32[] while(p), condition=f{levels}, body=body }}\n"


def pairs(levels, first, level, entry, of="f32[]"):
    """Chains of functions of two scalars."""
    text = f"HloModule fan\nf0 {{ p = f32[] parameter(0)\n q = f32[] parameter(1)\n{first} }}\n"
    for k in range(1, levels + 1):
        text += f"f{k} {{ p = f32[] parameter(0)\n q = f32[] parameter(1)\n{level.replace('F', f'f{k - 1}')} }}\n"
    return text + "ENTRY e {\n" + entry.replace("F", f"f{levels}") + " }\n"


PAIR = " a = f32[] call(p, q), to_apply=F\n ROOT b = f32[] call(a, q), to_apply=F"
FOLD = " ROOT a = f32[] add(p, q)"


def comparators(levels):
    return pairs(levels, " ROOT r = pred[] compare(p, q), direction=LT",
                 " a = pred[] call(p, q), to_apply=F\n b = pred[] call(q, p), to_apply=F\n ROOT c = pred[] or(a, b)",
                 " p = f32[40] parameter(0)\n ROOT r = f32[40] sort(p), dimensions={0}, to_apply=F")


def sorts_in_comparators(levels):
    level = (" v = f32[2] broadcast(p), dimensions={}\n s = f32[2] sort(v), dimensions={0}, to_apply=F\n"
             " t = f32[2] sort(s), dimensions={0}, to_apply=F\n x = f32[1] slice(t), slice={[0:1]}\n y = f32[] reshape(x)\n"
             " ROOT c = pred[] compare(y, q), direction=LT")
    return pairs(levels, " ROOT r = pred[] compare(p, q), direction=LT", level,
                 " p = f32[40] parameter(0)\n ROOT r = f32[40] sort(p), dimensions={0}, to_apply=F")


def reducers(levels):
    return pairs(levels, FOLD, PAIR, " p = f32[40] parameter(0)\n z = f32[] constant(0)\n"
                 " ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=F")


def reduces_in_reducers(levels):
    level = (" v = f32[2] broadcast(p), dimensions={}\n a = f32[] reduce(v, q), dimensions={0}, to_apply=F\n"
             " w = f32[2] broadcast(a), dimensions={}\n ROOT b = f32[] reduce(w, q), dimensions={0}, to_apply=F")
    return pairs(levels, FOLD, level, " p = f32[40] parameter(0)\n z = f32[] constant(0)\n"
                 " ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=F")


def constant_reduces(levels):
    """All operands are known: nothing is evaluated while it compiles."""
    return reduces_in_reducers(levels).replace("p = f32[40] parameter(0)", "c = f32[] constant(1)\n p = f32[40] broadcast(c), dimensions={}")


def windows(levels):
    return pairs(levels, FOLD, PAIR, " p = f32[40] parameter(0)\n z = f32[] constant(0)\n"
                 " ROOT r = f32[38] reduce-window(p, z), window={size=3}, to_apply=F")


def scatters(levels):
    return pairs(levels, FOLD, PAIR, " p = f32[40] parameter(0)\n i = s32[3,1] constant({{1}, {2}, {3}})\n u = f32[3] parameter(1)\n"
                 " ROOT r = f32[40] scatter(p, i, u), update_window_dims={}, inserted_window_dims={0}, "
                 "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=F")


def select_and_scatters(levels):
    text = pairs(levels, FOLD, PAIR, " p = f32[6] parameter(0)\n u = f32[2] parameter(1)\n z = f32[] constant(0)\n"
                 " ROOT r = f32[6] select-and-scatter(p, u, z), window={size=3 stride=3}, select=most, scatter=F")
    return text.replace("HloModule fan\n", "HloModule fan\nmost { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                        " ROOT c = pred[] compare(a, b), direction=GE }\n")


def all_reduces(levels):
    return pairs(levels, FOLD, PAIR, " p = f32[40] parameter(0)\n ROOT r = f32[40] all-reduce(p), replica_groups={}, to_apply=F")


def composites(levels):
    return chain(levels, ADD, twice('call(X), to_apply=F, is_composite=true, frontend_attributes={composite.name="a.b",'
                                    'composite.attributes={},composite.version="1"}'), MAIN)


def asyncs(levels):
    start = "((f32[4]), f32[4], s32[]) async-start({x}), calls={f}"
    text = f"HloModule fan\nf0 {{ p = f32[4] parameter(0)\n{ADD} }}\n"
    for k in range(1, levels + 1):
        text += (f"g{k} {{ p = f32[4] parameter(0)\n ROOT r = f32[4] call(p), to_apply=f{k - 1} }}\n"
                 f"f{k} {{ p = f32[4] parameter(0)\n s = {start.format(x='p', f=f'g{k}')}\n a = f32[4] async-done(s)\n"
                 f" t = {start.format(x='a', f=f'g{k}')}\n ROOT b = f32[4] async-done(t) }}\n")
    return text + "ENTRY e {\n" + MAIN.replace("F", f"f{levels}") + " }\n"


def functions(levels):
    """StableHLO: func.call."""
    text = "module @fan {\n func.func private @f0(%p: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %p, %p : tensor<4xf32>\n  return %0 : tensor<4xf32>\n }\n"
    for k in range(1, levels + 1):
        text += (f" func.func private @f{k}(%p: tensor<4xf32>) -> tensor<4xf32> {{\n"
                 f"  %0 = func.call @f{k - 1}(%p) : (tensor<4xf32>) -> tensor<4xf32>\n"
                 f"  %1 = func.call @f{k - 1}(%0) : (tensor<4xf32>) -> tensor<4xf32>\n  return %1 : tensor<4xf32>\n }}\n")
    return text + (f" func.func public @main(%p: tensor<4xf32>) -> tensor<4xf32> {{\n"
                   f"  %0 = func.call @f{levels}(%p) : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n }}\n}}\n")


def unknown_functions(levels):
    """The same of sizes that are known at the entry only."""
    text = functions(levels).replace("tensor<4xf32>", "tensor<?xf32>")
    head, main = text.split(" func.func public @main", 1)
    return head + (" func.func public @main(%p: tensor<4xf32>) -> tensor<?xf32> {\n"
                   "  %c = stablehlo.convert %p : (tensor<4xf32>) -> tensor<?xf32>\n"
                   f"  %0 = func.call @f{levels}(%c) : (tensor<?xf32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>\n }}\n}}\n")


def tuples(levels):
    """Shapes that double: a tuple of twice the one before."""
    text = "HloModule fan\nENTRY e { p = f32[] parameter(0)\n t0 = (f32[], f32[]) tuple(p, p)\n"
    shape, levels = "(f32[], f32[])", min(levels, 9)
    for k in range(1, levels + 1):
        shape = f"({shape}, {shape})"
        text += f" {'ROOT ' if k == levels else ''}t{k} = {shape} tuple(t{k - 1}, t{k - 1})\n"
    return text + "}\n"


FANS = {function.__name__: function for function in (
    calls, fusions, large_calls, maps, conditionals, known_conditionals, switches, whiles, unknown_whiles,
    while_conditions,
    comparators, sorts_in_comparators, reducers, reduces_in_reducers, constant_reduces, windows, scatters,
    select_and_scatters,
    all_reduces, composites, asyncs, functions, unknown_functions, tuples)}
