// SPDX-License-Identifier: Apache-2.0
// tests/hlo/proto/sample.h -- one module with every form that an attribute or annotation can have in a message.
#pragma once

namespace hilo::hlo {

inline constexpr char kSample[] =
    R"(HloModule sample, input_output_alias={ {0}: (0, {}, may-alias) }, entry_computation_layout={(f32[2,3]{0,1}, f32[1,4,4,2]{3,2,1,0})->(f32[2,3]{1,0}, f32[2]{0}, f32[1,4,4,3]{3,2,1,0})}, buffer_donor={ (1, {}) }, frontend_attributes={fingerprint="ab\"c"}

FileNames
1 "/a/f.py"

FunctionNames
1 "<module>"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=7 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1), metadata={op_name="y" stack_frame_id=2}
  ROOT %sum = f32[] add(%x, %y)
}

%before (a.1: f32[], b.1: f32[]) -> pred[] {
  %a.1 = f32[] parameter(0)
  %b.1 = f32[] parameter(1)
  ROOT %lt = pred[] compare(%a.1, %b.1), direction=LT, type=TOTALORDER
}

%body (t: (s32[], f32[2])) -> (s32[], f32[2]) {
  %t = (s32[], f32[2]{0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %v = f32[2]{0} get-tuple-element(%t), index=1
  %rev = f32[2]{0} reverse(%v), dimensions={0}
  ROOT %u = (s32[], f32[2]{0}) tuple(%next, %rev)
}

%condition (t.1: (s32[], f32[2])) -> pred[] {
  %t.1 = (s32[], f32[2]{0}) parameter(0)
  %i.1 = s32[] get-tuple-element(%t.1), index=0
  %limit = s32[] constant(-7)
  ROOT %less = pred[] compare(%i.1, %limit), direction=LT
}

%branch (z: f32[2]) -> f32[2] {
  %z = f32[2]{0} parameter(0)
  ROOT %neg = f32[2]{0} negate(%z)
}

%other (z.1: f32[2]) -> f32[2] {
  %z.1 = f32[2]{0} parameter(0)
  ROOT %exp = f32[2]{0} exponential(%z.1)
}

ENTRY %main (p: f32[2,3], image: f32[1,4,4,2]) -> (f32[2,3], f32[2], f32[1,4,4,3]) {
  %p = f32[2,3]{0,1} parameter(0), sharding={devices=[2,1]<=[2]}, frontend_attributes={a="b",c={"d":1}}
  %image = f32[1,4,4,2]{3,2,1,0} parameter(1), sharding={replicated}
  %zero = f32[] constant(-0)
  %ints = s4[5]{0} constant({1, -2, 3, -8, 7})
  %wide = s64[2]{0} constant({-9223372036854775808, 9223372036854775807})
  %half = bf16[2,2]{0,1} constant({{1, 2}, {nan, -inf}})
  %flags = pred[3]{0} constant({true, false, true})
  %complex = c64[2]{0} constant({(1, -2), (0.5, inf)})
  %small = f8e4m3fn[2]{0} constant({1, 448})
  %empty = u8[0]{0} constant({})
  %kernel = f32[3,3,2,3]{3,2,1,0} broadcast(%zero), dimensions={}
  %conv = f32[1,4,4,3]{3,2,1,0} convolution(%image, %kernel), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, operand_precision={highest,highest}
  %row = f32[2,3]{1,0} copy(%p), control-predecessors={%zero}, metadata={op_type="copy" op_name="row" source_file="f.cc" source_line=41 source_end_line=42}
  %slice = f32[1,3]{1,0} slice(%row), slice={[0:1], [0:3]}
  %pad = f32[2,3]{1,0} pad(%slice, %zero), padding=0_1x0_0
  %r = f32[2]{0} reduce(%pad, %zero), dimensions={1}, to_apply=%add, backend_config={"a":1}
  %dot = f32[2,2]{1,0} dot(%row, %pad), lhs_contracting_dims={1}, rhs_contracting_dims={1}, algorithm=dot_f32_f32_f32
  %start = s32[1,1]{1,0} constant({{0}})
  %gather = f32[1,3]{1,0} gather(%row, %start), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}, frontend_attributes={a="b",hilo.index_mode="clip"}
  %scatter = f32[2,3]{1,0} scatter(%row, %start, %gather), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, unique_indices=true, to_apply=%add
  %window = f32[2,3]{1,0} reduce-window(%row, %zero), window={size=1x2 pad=0_0x1_0}, to_apply=%add
  %sorted = f32[2,3]{1,0} sort(%window), dimensions={1}, is_stable=true, to_apply=%before
  %n = s32[] constant(0)
  %carry = (s32[], f32[2]{0}) tuple(%n, %r)
  %loop = (s32[], f32[2]{0}) while(%carry), condition=%condition, body=%body
  %v.1 = f32[2]{0} get-tuple-element(%loop), index=1
  %which = pred[] constant(true)
  %chosen = f32[2]{0} conditional(%which, %v.1, %v.1), true_computation=%branch, false_computation=%other
  %switched = f32[2]{0} conditional(%n, %v.1, %chosen), branch_computations={%branch, %other}
  %called = f32[2]{0} custom-call(%switched), custom_call_target="target one", operand_layout_constraints={f32[2]{0}}, custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={x = 1 : i32}
  %all = f32[2]{0} all-reduce(%called), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add
  %moved = f32[2]{0} collective-permute(%all), channel_id=2, source_target_pairs={{0,1},{1,0}}
  %state = u64[2]{0} constant({1, 2})
  %bits = (u64[2]{0}, u32[4]{0}) rng-bit-generator(%state), algorithm=rng_default
  %reduced = f32[2]{0} reduce-precision(%moved), exponent_bits=5, mantissa_bits=10
  %accurate = f32[2]{0} exponential(%reduced), result_accuracy={mode=highest}
  %tolerant = f32[2]{0} tanh(%accurate), result_accuracy={tolerance={atol=0.001,rtol=1e-05,ulps=3}}, origin={{"tolerant" {0,1}}}
  %measured = f32[2]{0} sine(%tolerant), statistics={visualizing_index=1,time=3.5,bytes=100}, metadata={op_name="m" profile_type={1} deduplicated_name="d" scheduling_name="s"}
  %nested = (f32[2]{0}, f32[2]{0}) tuple(%measured, %accurate)
  %pairs = (f32[2]{0}, (f32[2]{0}, f32[2]{0})) tuple(%measured, %nested), origin={({"measured"}, ({"n" {0}}, {}))}
  ROOT %out = (f32[2,3]{1,0}, f32[2]{0}, f32[1,4,4,3]{3,2,1,0}) tuple(%sorted, %accurate, %conv)
}
)";

}  // namespace hilo::hlo
