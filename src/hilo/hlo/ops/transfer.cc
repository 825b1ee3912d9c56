// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/transfer.h"

#include <fmt/format.h>

#include "hilo/hlo/ops/not_yet.h"
#include "hilo/hlo/ops/op_sharding.h"

namespace hilo::hlo {
namespace {

Status check_token(const ShapeRuleInput& input, size_t operand) {
  if (input.operands[operand].is_token()) return ok_status();
  return invalid_argument(
      fmt::format("operand {} is {}, wanted a token", operand, input.operands[operand].to_string()));
}

/// Returns the stated result, which must be a tuple of `size` elements.
StatusOr<Shape> declared_tuple(const ShapeRuleInput& input, int64_t size, std::string_view expected) {
  const Shape* const declared = input.declared;
  if (declared != nullptr && declared->is_tuple() && declared->tuple_size() == size)
    return declared->with_default_layout();
  return invalid_argument(fmt::format("the result is {}, wanted {}",
                                      declared == nullptr ? std::string("not stated") : declared->to_string(),
                                      expected));
}

StatusOr<Shape> infer_infeed(const ShapeRuleInput& input) {
  constexpr std::string_view kWanted = "(fed values, token[])";
  HILO_RETURN_IF_ERROR(check_token(input, 0));
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_tuple(input, 2, kWanted));
  if (result.tuple_element(1).is_token()) return result;  // infeed_c1, infeed_c2
  return invalid_argument(fmt::format("the result is {}, wanted {}", result.to_string(), kWanted));
}

StatusOr<Shape> infer_outfeed(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_token(input, 1));
  return Shape::token();
}

Shape sent(const Shape& what) {
  return Shape::tuple({what.with_default_layout(), Shape::scalar(ElementType::kU32), Shape::token()});
}

StatusOr<Shape> infer_send(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_token(input, 1));
  return sent(input.operands[0]);
}

StatusOr<Shape> infer_recv(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_token(input, 0));
  HILO_ASSIGN_OR_RETURN(const Shape result, declared_tuple(input, 3, "(received value, u32[], token[])"));
  return sent(result.tuple_element(0));
}

/// Checks that the operand of a done is the result of send or recv.
Status check_sent(const ShapeRuleInput& input, std::string_view by) {
  const Shape& operand = input.operands[0];
  const bool fits =
      operand.is_tuple() && operand.tuple_size() == 3 && operand.compatible(sent(operand.tuple_element(0)));
  if (fits) return ok_status();
  return invalid_argument(
      fmt::format("the operand is {}, wanted the result of {}: (array, u32[], token[])", operand.to_string(), by));
}

StatusOr<Shape> infer_send_done(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_sent(input, "send"));
  return Shape::token();
}

StatusOr<Shape> infer_recv_done(const ShapeRuleInput& input) {
  HILO_RETURN_IF_ERROR(check_sent(input, "recv"));
  return Shape::tuple({input.operands[0].tuple_element(0).with_default_layout(), Shape::token()});
}

StatusOr<Literal> reject_transfer(const EvaluateInput&) {
  return unimplemented("hilo's programs exchange data only through their arguments and results");
}

OpDef transfer_def(Opcode opcode, std::string_view name, int arity, StatusOr<Shape> (*infer)(const ShapeRuleInput&),
                   std::string_view spec) {
  return {.opcode = opcode,
          .name = name,
          .arity = arity,
          .operand_types = kAnyType,
          .traits = kEffect,
          .cost = CostClass::kHero,
          .sharding = kUnshared,
          .infer_shape = infer,
          .attributes = attributes_def<RawAttributes>(raw_fields()),
          .evaluate = reject_transfer,
          .spec = spec};
}

}  // namespace

HILO_DEFINE_OP(infeed_op, transfer_def(Opcode::kInfeed, "infeed", 1, infer_infeed, "infeed"))
HILO_DEFINE_OP(outfeed_op, transfer_def(Opcode::kOutfeed, "outfeed", 2, infer_outfeed, "outfeed"))
HILO_DEFINE_OP(send_op, transfer_def(Opcode::kSend, "send", 2, infer_send, "send"))
HILO_DEFINE_OP(send_done_op, transfer_def(Opcode::kSendDone, "send-done", 1, infer_send_done, "send"))
HILO_DEFINE_OP(recv_op, transfer_def(Opcode::kRecv, "recv", 1, infer_recv, "recv"))
HILO_DEFINE_OP(recv_done_op, transfer_def(Opcode::kRecvDone, "recv-done", 1, infer_recv_done, "recv"))

bool is_transfer(Opcode opcode) { return op_def(opcode).evaluate == reject_transfer; }

}  // namespace hilo::hlo
