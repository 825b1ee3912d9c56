# SPDX-License-Identifier: Apache-2.0
"""The programs of run.py that are written as HLO."""

import re

SORTED = """HloModule sorted

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}

ENTRY main {
  x = f32[700] parameter(0)
  ROOT s = f32[700] sort(x), dimensions={0}, to_apply=less, metadata={op_type="sort" source_file="lib/rank.py" source_line=12}
}
"""
COMPLEX = """HloModule turned

ENTRY main {
  x = c64[3] parameter(0)
  ROOT y = c64[3] tan(x), metadata={source_file="turn.py" source_line=3}
}
"""
UNBOUNDED = """HloModule halves

body {
  x = f32[3] parameter(0)
  h = f32[] constant(0.5)
  w = f32[3] broadcast(h), dimensions={}
  ROOT y = f32[3] multiply(x, w)
}

condition {
  x = f32[3] parameter(0)
  s = f32[1] slice(x), slice={[0:1]}
  r = f32[] reshape(s)
  one = f32[] constant(1)
  ROOT c = pred[] compare(r, one), direction=GT
}

ENTRY main {
  x = f32[3] parameter(0)
  ROOT w = f32[3] while(x), condition=condition, body=body, metadata={source_file="halve.py" source_line=7}
}
"""
# Types that C lacks, scalars, and arrays without elements.
TYPES = """HloModule types

ENTRY main {
  a = bf16[2,2] parameter(0)
  class = pred[5] parameter(1)
  c = c64[3] parameter(2)
  none = f32[0,4] parameter(3)
  n = u8[] parameter(4)
  d = f32[2,2] convert(a)
  e = pred[5] not(class)
  f = c64[3] multiply(c, c)
  g = u8[] add(n, n)
  ROOT r = (f32[2,2], pred[5], c64[3], f32[0,4], u8[]) tuple(d, e, f, none, g)
}
"""
SQUARE = """HloModule square

ENTRY main {
  x = f64[3] parameter(0)
  k = f64[3] parameter(1)
  y = f64[3] multiply(x, x)
  z = f64[3] multiply(y, k)
  zero = f64[] constant(0)
  ROOT s = f64[] reduce(z, zero), dimensions={0}, to_apply=add
}

add {
  a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] add(a, b)
}
"""
# y = (x0 x1, x1^2, sin x2) of a matrix A: A y, which depends on all of A, and y alone.
MATRIX = """HloModule matrix

ENTRY main {
  A = f64[2,3] parameter(0)
  x = f64[3] parameter(1)
  first = f64[2] slice(x), slice={[0:2]}
  last = f64[1] slice(x), slice={[2:3]}
  middle = f64[1] slice(x), slice={[1:2]}
  both = f64[2] concatenate(middle, middle), dimensions={0}
  products = f64[2] multiply(first, both)
  sine = f64[1] sine(last)
  y = f64[3] concatenate(products, sine), dimensions={0}
  Ay = f64[2] dot(A, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  Y = f64[3,2] reshape(A)
  c = f64[] constant(0.5)
  low = f64[3] broadcast(c), dimensions={}
  clipped = f64[3] maximum(x, low)
  ROOT r = (f64[2], f64[3], f64[3,2], f64[3]) tuple(Ay, y, Y, clipped)
}
"""
CHOICE = """HloModule choice

ENTRY main {
  x = f64[2] parameter(0)
  c = f64[] constant(0.1)
  low = f64[2] broadcast(c), dimensions={}
  above = pred[2] compare(x, low), direction=GT
  turned = f64[2] reverse(x), dimensions={0}
  ROOT y = f64[2] select(above, x, turned)
}
"""
# What libhilo_rt.a computes: by name, the program's entry. All kinds of functions of backend/cpu/runtime are here.
COMPUTATIONS = """HloModule NAME

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
less_double {
  a = f64[] parameter(0)
  b = f64[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT e = pred[] compare(a, b), direction=LT, type=TOTALORDER
}
less_byte {
  a = u8[] parameter(0)
  b = u8[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
first_by_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  e = pred[] compare(a, b), direction=LT
  f = pred[] compare(a, b), direction=EQ
  g = pred[] compare(c, d), direction=GT
  h = pred[] and(f, g)
  ROOT i = pred[] or(e, h)
}
by_magnitude {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] abs(a)
  d = f32[] abs(b)
  ROOT e = pred[] compare(c, d), direction=LT
}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
add_double {
  a = f64[] parameter(0)
  b = f64[] parameter(1)
  ROOT c = f64[] add(a, b)
}
largest {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}
linear {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] multiply(a, c)
  f = f32[] multiply(b, c)
  g = f32[] add(f, d)
  ROOT h = (f32[], f32[]) tuple(e, g)
}
at_least {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
newest {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
halves {
  a = f32[] parameter(0)
  h = f32[] constant(0.25)
  ROOT b = f32[] multiply(a, h)
}
is_large {
  a = f32[] parameter(0)
  one = f32[] constant(1)
  ROOT c = pred[] compare(a, one), direction=GT
}
loops {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] add(a, b)
  ROOT d = f32[] while(c), condition=is_large, body=halves
}
larger {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] abs(a)
  d = f32[] abs(b)
  ROOT e = pred[] compare(c, d), direction=GE
}
turn {
  p = (s32[], f32[50]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[50] get-tuple-element(p), index=1
  s = f32[50] sort(x), dimensions={0}, is_stable=true, to_apply=less
  n = f32[50] sine(s)
  r = f32[50] reverse(n), dimensions={0}
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[50]) tuple(j, r)
}
goes_on {
  p = (s32[], f32[50]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT
}

ENTRY main {
BODY
}
"""
IN_RUNTIME = {
    "sort": """  x = f32[3,700] parameter(0)
  ROOT s = f32[3,700] sort(x), dimensions={1}, to_apply=less""",
    "sort_stable": """  x = f64[5000] parameter(0)
  i = s32[5000] iota(), iota_dimension=0
  ROOT s = (f64[5000], s32[5000]) sort(x, i), dimensions={0}, is_stable=true, to_apply=less_double""",
    "sort_bytes": """  x = u8[900,2] parameter(0)
  ROOT s = u8[900,2] sort(x), dimensions={0}, is_stable=true, to_apply=less_byte""",
    "sort_compared": """  x = f32[90] parameter(0)
  i = s32[90] parameter(1)
  ROOT s = (f32[90], s32[90]) sort(x, i), dimensions={0}, is_stable=true, to_apply=first_by_two""",
    "sort_by_key": """  x = f32[90] parameter(0)
  ROOT s = f32[90] sort(x), dimensions={0}, is_stable=true, to_apply=by_magnitude""",
    "sort_in_loop": """  x = f32[50] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[50]) tuple(zero, x)
  w = (s32[], f32[50]) while(t), condition=goes_on, body=turn
  ROOT y = f32[50] get-tuple-element(w), index=1""",
    "top_k": """  x = f32[4,300] parameter(0)
  ROOT t = (f32[4,7], s32[4,7]) topk(x), k=7, largest=true""",
    "scatter": """  x = f32[20,4] parameter(0)
  i = s32[9,1] parameter(1)
  u = f32[9,4] parameter(2)
  ROOT s = f32[20,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=newest""",
    "scatter_sum": """  x = f32[10] parameter(0)
  i = s32[4000,1] parameter(1)
  u = f32[4000] parameter(2)
  ROOT s = f32[10] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add""",
    "scatter_double": """  x = f64[300] parameter(0)
  i = s32[9000,1] parameter(1)
  u = f64[9000] parameter(2)
  ROOT s = f64[300] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_double""",
    "running_sums": """  x = f64[9,130] parameter(0)
  zero = f64[] constant(0)
  a = f64[9,130] reduce-window(x, zero), window={size=1x130 pad=0_0x129_0}, to_apply=add_double
  b = f64[9,130] reduce-window(x, zero), window={size=9x1 pad=0_8x0_0}, to_apply=add_double
  ROOT t = (f64[9,130], f64[9,130]) tuple(a, b)""",
    "recurrence": """  x = f32[70] parameter(0)
  y = f32[70] parameter(1)
  one = f32[] constant(1)
  zero = f32[] constant(0)
  ROOT r = (f32[70], f32[70]) reduce-window(x, y, one, zero), window={size=70 pad=69_0}, to_apply=linear""",
    "windows": """  x = f32[2,900,3] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[2,301,3] reduce-window(x, zero), window={size=1x600x1}, to_apply=add""",
    "windows_of_two": """  x = f32[900] parameter(0)
  y = f32[900] parameter(1)
  one = f32[] constant(1)
  zero = f32[] constant(0)
  ROOT r = (f32[301], f32[301]) reduce-window(x, y, one, zero), window={size=600}, to_apply=linear""",
    "reduction": """  x = f32[7,30] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[7] reduce(x, zero), dimensions={1}, to_apply=loops""",
    "gaps": """  x = f32[30,40] parameter(0)
  zero = f32[] parameter(1)
  ROOT r = f32[2061,118] pad(x, zero), padding=1_0_70x0_0_2""",
    "bits": """  x = f64[6] parameter(0)
  ROOT r = u8[6,8] bitcast-convert(x)""",
    "random_bits": """  s = u64[2] parameter(0)
  a = (u64[2], u32[3,7]) rng-bit-generator(s), algorithm=rng_three_fry
  t = u64[2] get-tuple-element(a), index=0
  b = (u64[2], u8[4,9]) rng-bit-generator(t), algorithm=rng_philox
  x = u32[3,7] get-tuple-element(a), index=1
  y = u8[4,9] get-tuple-element(b), index=1
  ROOT r = (u32[3,7], u8[4,9]) tuple(x, y)""",
    "pooling_gradient": """  x = f32[2,9,9,3] parameter(0)
  s = f32[2,3,3,3] parameter(1)
  zero = f32[] constant(0)
  ROOT r = f32[2,9,9,3] select-and-scatter(x, s, zero), window={size=1x5x5x1 stride=1x2x2x1}, select=at_least, scatter=add""",
    "pooling_gradient_of_small_windows": """  x = f32[2,9,9,3] parameter(0)
  s = f32[2,4,4,3] parameter(1)
  zero = f32[] constant(0)
  ROOT r = f32[2,9,9,3] select-and-scatter(x, s, zero), window={size=1x3x3x1 stride=1x2x2x1}, select=at_least, scatter=add""",
    "pooling_gradient_compiled": """  x = f32[900] parameter(0)
  s = f32[301] parameter(1)
  zero = f32[] constant(0)
  ROOT r = f32[900] select-and-scatter(x, s, zero), window={size=600}, select=larger, scatter=loops""",
    "complex_functions": """  x = c64[11] parameter(0)
  y = c128[5] parameter(1)
  a = c64[11] tan(x)
  b = c128[5] log(y)
  ROOT t = (c64[11], c128[5]) tuple(a, b)""",
}


def lapack(result, target, operands, config=""):
    """A custom call with LAPACK's layouts: matrices are column-major. `operands`: names and types."""
    by_columns = lambda kind: re.sub(r"(\[[^]]*,[^]]*\])(?!\{)", lambda m: m[1] + (
        "{1,2,0}" if m[1].count(",") == 2 else "{0,1}"), kind)
    names, kinds = ", ".join(operands), ", ".join(map(by_columns, operands.values()))
    return (f'{by_columns(result)} custom-call({names}), custom_call_target="{target}", '
            f"operand_layout_constraints={{{kinds}}}, api_version=API_VERSION_TYPED_FFI, backend_config={{{config}}}")


IN_RUNTIME |= {
    "factors": "  x = f64[2,9,9] parameter(0)\n  ROOT f = " + lapack(
        "(f64[2,9,9], s32[2,9]{1,0}, s32[2])", "lapack_dgetrf_ffi", {"x": "f64[2,9,9]"}),
    "permutation": """  x = s32[9] parameter(0)
  ROOT p = s32[9] custom-call(x), custom_call_target="hilo_lu_pivots_to_permutation_ffi", api_version=API_VERSION_TYPED_FFI""",
    "orthogonal": "  x = f32[14,9] parameter(0)\n  f = " + lapack(
        "(f32[14,9], f32[9])", "lapack_sgeqrf_ffi", {"x": "f32[14,9]"}) + """
  r = f32[14,9] get-tuple-element(f), index=0
  t = f32[9] get-tuple-element(f), index=1
  q = """ + lapack("f32[14,9]", "lapack_sorgqr_ffi", {"r": "f32[14,9]", "t": "f32[9]"}) + """
  c = f32[14,3] parameter(1)
  d = """ + lapack("f32[14,3]", "lapack_sormqr_ffi", {"r": "f32[14,9]", "t": "f32[9]", "c": "f32[14,3]"},
                   "side = 76 : ui8, trans = 84 : ui8") + """
  ROOT z = (f32[14,9], f32[14,9], f32[14,3]) tuple(r, q, d)""",
    "eigenvalues": "  x = c128[9,9] parameter(0)\n  ROOT f = " + lapack(
        "(c128[9,9], f64[9], s32[])", "lapack_zheevd_ffi", {"x": "c128[9,9]"}, "mode = 86 : ui8, uplo = 76 : ui8"),
    "tridiagonal_form": "  x = c64[9,9] parameter(0)\n  ROOT f = " + lapack(
        "(c64[9,9], f32[9], f32[8], c64[8], s32[])", "lapack_chetrd_ffi", {"x": "c64[9,9]"}, "uplo = 85 : ui8"),
    "general_eigenvalues": "  x = f64[2,9,9] parameter(0)\n  ROOT f = " + lapack(
        "(f64[2,9]{1,0}, f64[2,9]{1,0}, c128[2,9,9], c128[2,9,9], s32[2])", "lapack_dgeev_ffi", {"x": "f64[2,9,9]"},
        "compute_left = 86 : ui8, compute_right = 86 : ui8"),
    "schur": "  x = c64[9,9] parameter(0)\n  ROOT f = " + lapack(
        "(c64[9,9], c64[9,9], c64[9], s32[], s32[])", "lapack_cgees_ffi", {"x": "c64[9,9]"},
        "mode = 86 : ui8, sort = 78 : ui8"),
    "hessenberg": "  x = f32[9,9] parameter(0)\n  ROOT f = " + lapack(
        "(f32[9,9], f32[8], s32[])", "lapack_sgehrd_ffi", {"x": "f32[9,9]"}, "low = 1 : i32, high = 9 : i32"),
    "singular_values": "  x = f32[9,14] parameter(0)\n  ROOT f = " + lapack(
        "(f32[9,14], f32[9], f32[9,9], f32[14,14], s32[])", "lapack_sgesdd_ffi", {"x": "f32[9,14]"}, "mode = 65 : ui8"),
    "cholesky": """  x = f64[12,12] parameter(0)
  t = f64[12,12] transpose(x), dimensions={1,0}
  s = f64[12,12] add(x, t)
  ROOT c = f64[12,12] cholesky(s), lower=true""",
    "triangular": """  x = c64[3,12,12] parameter(0)
  y = c64[3,12,5] parameter(1)
  ROOT z = c64[3,12,5] triangular-solve(x, y), left_side=true, lower=true, unit_diagonal=true, transpose_a=ADJOINT""",
    "tridiagonal": "  l = f64[9] parameter(0)\n  d = f64[9] parameter(1)\n  u = f64[9] parameter(2)\n  b = f64[9,2] parameter(3)\n  ROOT x = " + lapack(
        "f64[9,2]", "tridiagonal_solve_perturbed_ffi", {"l": "f64[9]", "d": "f64[9]", "u": "f64[9]", "b": "f64[9,2]"}),
    "convolution": """  x = f32[2,9,8,3] parameter(0)
  y = f32[3,3,3,18] parameter(1)
  ROOT z = f32[2,9,8,18] convolution(x, y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f""",
    "complex_product": """  x = c64[9,70] parameter(0)
  y = c64[70,21] parameter(1)
  ROOT z = c64[9,21] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}""",
    "transform": """  x = f32[3,700] parameter(0)
  y = c128[1009] parameter(1)
  a = c64[3,351] fft(x), fft_type=RFFT, fft_length={700}
  b = c128[1009] fft(y), fft_type=IFFT, fft_length={1009}
  ROOT t = (c64[3,351], c128[1009]) tuple(a, b)""",
}
# A concatenation of more operands than a region reads.
IN_RUNTIME["joined"] = "".join(f"  p{k} = f32[90,{k % 3 + 1}] parameter({k})\n" for k in range(72)) + (
    "  ROOT r = f32[90,144] concatenate(" + ", ".join(f"p{k}" for k in range(72)) + "), dimensions={1}")
RUNTIME_TEXTS = {f"{name}.hlo": COMPUTATIONS.replace("NAME", name).replace("BODY", body)
                 for name, body in IN_RUNTIME.items()}
# A straight line leaves out products with the zeros of the pad. The code for infinite values has the pad itself, which
# is a function of hilo's library: its gaps are long.
GAPS = """HloModule spread

ENTRY main {
  x = f64[2] parameter(0)
  y = f64[5,72] parameter(1)
  zero = f64[] constant(0)
  p = f64[72] pad(x, zero), padding=0_0_70
  q = f64[5] dot(y, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f64[5] sine(q)
}
"""
PIVOTED = "HloModule pivoted\n\nENTRY main {\n  x = f32[9,9] parameter(0)\n  j = s32[9] parameter(1)\n  ROOT f = " + lapack(
    "(f32[9,9], s32[9], f32[9])", "lapack_sgeqp3_ffi", {"x": "f32[9,9]", "j": "s32[9]"}) + "\n}\n"
SUMMED = """HloModule summed, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] all-reduce(x), replica_groups={}, to_apply=add
}
"""

TEXTS = RUNTIME_TEXTS | {"summed.hlo": SUMMED, "pivoted.hlo": PIVOTED, "spread.hlo": GAPS, "matrix.hlo": MATRIX, "choice.hlo": CHOICE, "sorted.hlo": SORTED,
                         "complex.hlo": COMPLEX, "unbounded.hlo": UNBOUNDED, "types.hlo": TYPES, "square.hlo": SQUARE}
