// SPDX-License-Identifier: Apache-2.0
// Round trips of modules through HloModuleProto, and messages that XLA wrote.
#include <gtest/gtest.h>

#include <filesystem>

#include "hilo/base/files.h"
#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/checks.h"
#include "hilo/hlo/ops/collective.h"
#include "hilo/hlo/proto/fields.h"
#include "hilo/hlo/proto/other_attributes.h"
#include "hilo/hlo/proto/places.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/hlo/text/frontend_fields.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"
#include "hilo/hlo/verify/verifier.h"
#include "tests/hlo/proto/sample.h"
#include "tests/paths.h"

namespace hilo::hlo {
namespace {

Module parsed(const std::string& text) {
  StatusOr<Module> module = parse_module(text);
  EXPECT_TRUE(module.ok()) << module.status().to_string();
  return std::move(module).value();
}

/// `text` after a round trip through a message.
std::string through_proto(const std::string& text) {
  const StatusOr<std::string> bytes = to_proto(parsed(text));
  if (!bytes.ok()) return bytes.status().to_string();
  const StatusOr<Module> module = from_proto(*bytes);
  return module.ok() ? print_module(*module) : module.status().to_string();
}

/// The error of writing a module with these lines in its entry.
std::string write_error(const std::string& lines) {
  const StatusOr<std::string> bytes = to_proto(parsed("HloModule m\n\nENTRY main {\n" + lines + "}\n"));
  EXPECT_FALSE(bytes.ok());
  return bytes.status().to_string();
}

std::vector<std::filesystem::path> files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(tests::kSourceDir) + folder))
    paths.push_back(entry.path());
  EXPECT_FALSE(paths.empty()) << folder;
  return paths;
}

TEST(ProtoRoundTrip, KeepsEveryFormOfTheSample) { EXPECT_EQ(through_proto(kSample), kSample); }

TEST(ProtoRoundTrip, WritesTheSameBytesAgain) {
  const StatusOr<std::string> bytes = to_proto(parsed(kSample));
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const StatusOr<Module> module = from_proto(*bytes);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(*to_proto(*module), *bytes);
}

TEST(ProtoRoundTrip, ReadsWhatXlaWroteAsItsText) {
  int compared = 0;
  for (const std::filesystem::path& path : files("/tests/fuzz/hlo_text")) {
    const StatusOr<std::string> text = read_file(path.string());
    const std::string message =
        std::string(tests::kSourceDir) + "/tests/fuzz/hlo_proto/" + path.stem().string() + ".pb";
    const StatusOr<std::string> bytes = read_file(message);
    ASSERT_TRUE(text.ok() && bytes.ok()) << path << bytes.status().to_string();
    EXPECT_TRUE(is_proto(*bytes));
    EXPECT_TRUE(is_proto("\x0a\xff\xff\x04" + *bytes));  // the beginning of an HloProto
    EXPECT_FALSE(is_proto(*text));
    const StatusOr<Module> module = from_proto(*bytes);
    ASSERT_TRUE(module.ok()) << path << module.status().to_string();
    EXPECT_TRUE(verify(*module).ok());
    PrintOptions meaning;
    meaning.canonical = true;
    EXPECT_EQ(print_computation(*module->entry, meaning), print_computation(*parsed(*text).entry, meaning)) << path;
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

TEST(ProtoRoundTrip, ReadsXlasMessageOfTheSample) {
  const StatusOr<std::string> bytes = read_file(std::string(tests::kSourceDir) + "/tests/fuzz/hlo_proto/sample.pb");
  ASSERT_TRUE(bytes.ok());
  const StatusOr<Module> module = from_proto(*bytes);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const std::string text = print_module(*module);
  EXPECT_EQ(through_proto(text), text);
  // XLA reorders instructions, but each line is unchanged.
  for (const char* line :
       {"custom_call_target=\"target one\", operand_layout_constraints={f32[2]{0}}", "sharding={devices=[2,1]<=[2]}",
        "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "%ints = s4[5]{0} constant({1, -2, 3, -8, 7})",
        "direction=LT, type=TOTALORDER", "replica_groups={{0,1}}",
        "source_file=\"f.cc\" source_line=41 source_end_line=42", "true_computation=%branch, false_computation=%other",
        "{file_location_id=1 parent_frame_id=2}", "buffer_donor={ (1, {}) }",
        "frontend_attributes={a=\"b\",c={\"d\":1}}", "result_accuracy={tolerance={atol=0.001,rtol=1e-05,ulps=3}}",
        "origin={{\"tolerant\" {0,1}}}", "origin={({\"measured\"}, ({\"n\" {0}}, {}))}",
        "statistics={visualizing_index=1,time=3.5,bytes=100}", "profile_type={1} deduplicated_name=\"d\""})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

/// Written by jaxlib 0.12.0.1: `comparison_order`, for integers too, and no `comparison_type`.
TEST(ProtoRoundTrip, ReadsTheOrderOfComparisons) {
  const StatusOr<std::string> bytes =
      read_file(std::string(tests::kSourceDir) + "/tests/fuzz/hlo_proto/comparison_order.pb");
  ASSERT_TRUE(bytes.ok());
  const StatusOr<Module> module = from_proto(*bytes);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  const std::string text = print_module(*module);
  for (const char* line : {"direction=LT, type=TOTALORDER\n", "direction=GE\n", "direction=NE\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(ProtoRoundTrip, ReadsAnHloProtoAroundTheModule) {
  const std::string module = *to_proto(parsed(kSample));
  std::string wrapped = "\x0a";
  for (size_t size = module.size();; size >>= 7) {
    wrapped += static_cast<char>(size > 127 ? (size & 127) | 128 : size);
    if (size <= 127) break;
  }
  const StatusOr<Module> read = from_proto(wrapped + module);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  EXPECT_EQ(print_module(*read), kSample);
}

TEST(ProtoRoundTrip, KeepsTheOrderOfAScheduledModule) {
  const std::string text =
      "HloModule m, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\n"
      "ENTRY %main (x: f32[4]) -> f32[4] {\n"
      "  %x = f32[4]{0} parameter(0)\n"
      "  %late = f32[4]{0} negate(%x)\n"
      "  %early = f32[4]{0} exponential(%x)\n"
      "  ROOT %sum = f32[4]{0} add(%early, %late)\n"
      "}\n";
  EXPECT_EQ(through_proto(text), text);
}

TEST(ProtoRoundTrip, KeepsCollectives) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[4,2]{1,0})->f32[8,2]{1,0}}\n\n"
      "%add (x: f32[], y: f32[]) -> f32[] {\n"
      "  %x = f32[] parameter(0)\n"
      "  %y = f32[] parameter(1)\n"
      "  ROOT %sum = f32[] add(%x, %y)\n"
      "}\n\n"
      "ENTRY %main (p: f32[4,2]) -> f32[8,2] {\n"
      "  %p = f32[4,2]{1,0} parameter(0)\n"
      "  %total = f32[4,2]{1,0} all-reduce(%p), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, "
      "to_apply=%add\n"
      "  %part = f32[2,2]{1,0} reduce-scatter(%total), replica_groups={{1,0}}, dimensions={0}, to_apply=%add\n"
      "  %blocks = f32[2,2]{1,0} all-to-all(%part), replica_groups={{0,1}}, dimensions={1}\n"
      "  %moved = f32[2,2]{1,0} collective-permute(%blocks), source_target_pairs={{0,1}}\n"
      "  %sent = f32[2,2]{1,0} collective-broadcast(%moved), replica_groups={{1,0}}\n"
      "  %half = f32[4,2]{1,0} all-gather(%sent), replica_groups={}, dimensions={0}\n"
      "  ROOT %all = f32[8,2]{1,0} all-gather(%half), replica_groups={{0,1}}, dimensions={0}\n"
      "}\n";
  EXPECT_EQ(through_proto(text), text);
}

/// The groups of a message that encodes them as an iota.
std::string iota_groups(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> permutation) {
  proto::WireWriter iota, instruction;
  iota.integer(1, 2);
  iota.integer(2, 4);
  iota.integers(3, std::vector<int64_t>(sizes));
  iota.integers(4, std::vector<int64_t>(permutation));
  instruction.message(92, iota);
  const StatusOr<proto::WireMessage> message = proto::WireMessage::read(instruction.view(), "HloInstructionProto");
  const std::vector<ComputationPtr> called;
  CollectiveAttributes attributes;
  const AttributeField field = op_def(Opcode::kAllReduce).attributes.fields[1];
  proto::WireMessage nested{std::string_view()};
  proto::InstructionMessage in{*message, called, nested};
  const Status status =
      proto::read_field(*proto::find_place(Opcode::kAllReduce, "replica_groups"), field, in, attributes);
  if (!status.ok()) return status.to_string();
  std::string text;
  for (const Int64List& group : attributes.replica_groups) text += list_to_string(group);
  return text;
}

TEST(ProtoRoundTrip, ReadsGroupsThatAreAnIota) {
  EXPECT_EQ(iota_groups({8}, {0}), "{0,1,2,3}{4,5,6,7}");
  EXPECT_EQ(iota_groups({8}, {}), "{0,1,2,3}{4,5,6,7}");
  EXPECT_EQ(iota_groups({2, 2, 2}, {2, 0, 1}), "{0,2,4,6}{1,3,5,7}");
  EXPECT_TRUE(iota_groups({9}, {0}).starts_with("INVALID_ARGUMENT: replica_groups: "));
  EXPECT_TRUE(iota_groups({2, 4}, {1, 1}).starts_with("INVALID_ARGUMENT: replica_groups: "));
}

TEST(ProtoRoundTrip, RestoresExtensionOpsFromTheirComposites) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\nENTRY %main (x: f32[4]) -> f32[4] {\n"
      "  %x = f32[4]{0} parameter(0)\n"
      "  ROOT %y = f32[4]{0} hilo.erf_inv(%x)\n"
      "}\n";
  const StatusOr<Module> module = from_proto(*to_proto(parsed(text)));
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  EXPECT_EQ(module->entry->root().opcode, kExtErfInv);
  EXPECT_EQ(module->entry->fingerprint(), parsed(text).entry->fingerprint());
}

/// XLA of PJRT 0.115 uses the field for stable sorts. Without it, equal elements are in any order.
TEST(ProtoRoundTrip, SaysThatTopKKeepsTheOrderOfEqualElements) {
  const std::string text =
      "HloModule m, entry_computation_layout={(s32[4]{0})->(s32[2]{0}, s32[2]{0})}\n\n"
      "ENTRY %main (x: s32[4]) -> (s32[2], s32[2]) {\n"
      "  %x = s32[4]{0} parameter(0)\n"
      "  ROOT %top = (s32[2]{0}, s32[2]{0}) topk(%x), k=2, largest=true\n"
      "}\n";
  EXPECT_EQ(through_proto(text), text);
  constexpr std::string_view kField60IsTrue = "\xe0\x03\x01";
  EXPECT_NE(to_proto(parsed(text))->find(kField60IsTrue), std::string::npos);
}

TEST(ProtoRoundTrip, MakesInstructionNamesUniqueInTheModule) {
  const std::string text = through_proto(
      "HloModule m\n\nf {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}\n\n"
      "ENTRY main {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=f\n}\n");
  EXPECT_NE(text.find("%x = f32[] parameter(0)"), std::string::npos) << text;
  EXPECT_NE(text.find("%x.1 = f32[] parameter(0)"), std::string::npos) << text;
}

TEST(ProtoRoundTrip, WritesNoBytesThatAreNoUtf8) {
  const StatusOr<std::string> bytes = to_proto(parsed(
      "HloModule m\n\nENTRY main {\n  ROOT x = f32[] parameter(0), metadata={op_name=\"a\\377b\\303\\251\"}\n}\n"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_NE(bytes->find("a?b\xc3\xa9"), std::string::npos);
}

TEST(ProtoRoundTrip, KeepsOriginalValuesOfTuplesWithEmptyOnes) {
  const auto same = [](const std::string& attributes) {
    const std::string text =
        "HloModule m, entry_computation_layout={(f32[])->f32[]}\n\nENTRY %main (x: f32[]) -> f32[] {\n  ROOT %x = "
        "f32[] parameter(0), " +
        attributes + "\n}\n";
    EXPECT_EQ(through_proto(text), text);
  };
  same("origin={{\"x\"}}");
  same("origin={{}}");
  same("origin={[synthetic_call]}");
  same("origin={({\"a\"}, (), ((), {\"b\" {2}}), {})}");
  same("origin={(((), {\"a\"}), {\"b\"})}");
  EXPECT_EQ(write_error("  ROOT x = f32[] parameter(0), origin={({\"a\"} {\"b\"})}\n"),
            "INVALID_ARGUMENT: parameter 'x': origin:1:9: expected ',' between leaves of the original value; got '{'");
}

TEST(ProtoRoundTrip, AnOriginalValueInDisorderIsAnError) {
  const auto element = [](std::initializer_list<int64_t> path) {
    proto::WireWriter out;
    out.integers(1, std::vector<int64_t>(path));
    return out;
  };
  const auto error = [&](std::initializer_list<int64_t> first, std::initializer_list<int64_t> second) {
    proto::WireWriter value, instruction;
    value.message(1, element(first));
    value.message(1, element(second));
    instruction.message(88, value);
    Annotations annotations;
    return proto::read_other_attributes(*proto::WireMessage::read(instruction.view(), "HloInstructionProto"),
                                        annotations)
        .to_string();
  };
  const std::string wanted = "INVALID_ARGUMENT: OriginalValueProto: its elements aren't the leaves of a tuple in order";
  EXPECT_EQ(error({1}, {0}), wanted);
  EXPECT_EQ(error({0}, {0}), wanted);
  EXPECT_EQ(error({0}, {0, 1}), wanted);
  EXPECT_EQ(error({0}, {1'000'000'000'000}), wanted);
  EXPECT_EQ(error({0}, {INT64_MIN}), wanted);
  EXPECT_EQ(error({}, {}), wanted);
}

TEST(ProtoRoundTrip, AnExtensionOpWithoutDecompositionSaysWhy) {
  const Module module = parsed(
      "HloModule m\nf {\n  ROOT x = f32[] parameter(0)\n}\nENTRY main {\n  x = f32[] parameter(0)\n"
      "  ROOT y = f32[] hilo.custom_rules(x), to_apply=f, rules=\"custom_vjp\", transpose_only=true\n}\n");
  const Status status = to_proto(module).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(status.message().find("hilo.custom_rules 'y': can't apply forward-mode differentiation"), std::string::npos)
      << status.to_string();
}

TEST(ProtoRoundTrip, SaysWhatHasNoForm) {
  EXPECT_EQ(write_error("  ROOT x = f32[] parameter(0), statistics={visualizing_index=0,time=fast}\n"),
            "INVALID_ARGUMENT: parameter 'x': time: got 'fast'; wanted a number");
  EXPECT_EQ(write_error("  ROOT x = f32[] parameter(0), result_accuracy={tolerance={atol=1,etol=2}}\n"),
            "INVALID_ARGUMENT: parameter 'x': tolerance: etol=2 is not known");
  EXPECT_EQ(write_error("  ROOT x = f32[] parameter(0), type_hint=\"x\"\n"),
            "UNIMPLEMENTED: parameter 'x': attribute 'type_hint' can't be represented in HloModuleProto");
  EXPECT_EQ(write_error("  x = f32[] parameter(0)\n  ROOT y = f32[] shuffle(x), sparkle=1\n"),
            "UNIMPLEMENTED: shuffle 'y': attribute 'sparkle' can't be represented in HloModuleProto");
  EXPECT_EQ(write_error("  ROOT x = f32[] parameter(0), sharding={mesh[a=2], [{a}]}\n"),
            "UNIMPLEMENTED: parameter 'x': sharding:1:2: sharding 'mesh' is not known");
}

TEST(ProtoPlaces, EveryAttributeOfEveryOpOfHloHasOne) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (has_trait(opcode, kExtension)) continue;  // composites store their attributes as text
    for (const AttributeField& field : op_def(opcode).attributes.fields) {
      // Fields of ops with text attributes, and fields of custom-call that are stored in annotations or in the shape.
      const std::string_view own[] = {"spelled", "raw", "called_names", "called", "backend_config", "result_layouts"};
      if (std::find(std::begin(own), std::end(own), field.name) != std::end(own)) continue;
      if (text::is_frontend_field(field)) continue;  // stored in annotations
      EXPECT_NE(proto::find_place(opcode, field.name), nullptr) << opcode_name(opcode) << " " << field.name;
    }
  }
}

TEST(Proto, AScheduleDoesntHideTheOrderThatXlaTellsFromIds) {
  const Module scheduled = parsed(
      "HloModule m, is_scheduled=true\n\n"
      "first {\n  a = f32[] parameter(0)\n  ROOT sine = f32[] sine(a)\n}\n"
      "second {\n  b = f32[] parameter(0)\n  ROOT tanh = f32[] tanh(b)\n}\n"
      "ENTRY main {\n  x = f32[] parameter(0)\n  f = f32[] call(x), to_apply=first\n"
      "  s = f32[] call(x), to_apply=second\n  ROOT t = (f32[], f32[]) tuple(f, s)\n}\n");
  // The scheduled program had `s` before `f`.
  ComputationDraft draft("main");
  for (const Instruction& i : scheduled.entry->instructions()) {
    draft.append_copy(i, i.operands);
    draft.mutable_instruction(i.id).origin = i.name == "f" ? 2 : i.name == "s" ? 1 : i.id;
  }
  Module module = scheduled;
  module.entry = std::move(draft).finish(scheduled.entry->root_id()).value();
  const StatusOr<std::string> bytes = to_proto(module);
  ASSERT_TRUE(bytes.ok()) << bytes.status().to_string();
  const StatusOr<Module> read = from_proto(*bytes);
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  const std::string text = print_module(*read);
  EXPECT_LT(text.find("%second ("), text.find("%first (")) << "as XLA prints it\n" << text;
  EXPECT_LT(text.find("%f = "), text.find("%s = ")) << "as the schedule has it\n" << text;
  EXPECT_EQ(print_module(*from_proto(*to_proto(*read))), text);
}

}  // namespace
}  // namespace hilo::hlo
