// SPDX-License-Identifier: Apache-2.0
// A magic line, a line with the checksum of everything after it, and a message.
#include "hilo/backend/pjrt/saved_executable.h"

#include <fmt/format.h>

#include "hilo/base/text_hash.h"
#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/writer.h"

namespace hilo::plugins {
namespace {

using hlo::proto::WireMessage;
using hlo::proto::WireWriter;

constexpr std::string_view kMagic = "hilo plugin program 1\n";
// The fields of the message.
constexpr uint32_t kIdentity = 1, kName = 2, kShapes = 3, kArgumentNames = 4, kReplicas = 5, kMeetsOthers = 6,
                   kRunSeconds = 7, kProgram = 8, kCode = 9;

std::string checksum(std::string_view body) { return fmt::format("{:016x}\n", TextHash()(body)); }

StatusOr<ProgramSignature> signature_in(const WireMessage& saved) {
  ProgramSignature signature;
  HILO_ASSIGN_OR_RETURN(const std::string_view name, saved.text(kName));
  HILO_ASSIGN_OR_RETURN(const std::string_view shapes, saved.text(kShapes));
  HILO_ASSIGN_OR_RETURN(const std::vector<std::string_view> names, saved.items(kArgumentNames));
  hlo::proto::ShapeReader reader;
  HILO_ASSIGN_OR_RETURN(hlo::proto::ProgramShape program, hlo::proto::read_program_shape(shapes, reader));
  HILO_ASSIGN_OR_RETURN(signature.replica_count, saved.integer(kReplicas));
  HILO_ASSIGN_OR_RETURN(signature.meets_others, saved.boolean(kMeetsOthers));
  HILO_ASSIGN_OR_RETURN(signature.run_seconds, saved.real64(kRunSeconds));
  signature.name = name;
  signature.argument_shapes = std::move(program.parameters);
  signature.argument_names.assign(names.begin(), names.end());
  signature.result_shapes = program.result.leaves();
  signature.result_shape = std::move(program.result);
  if (signature.argument_names.size() == signature.argument_shapes.size()) return signature;
  return invalid_argument("load: the saved program has more or fewer argument names than arguments");
}

}  // namespace

StatusOr<std::string> save_executable(const SavedExecutable& saved) {
  const ProgramSignature& signature = saved.signature;
  WireWriter message;
  HILO_ASSIGN_OR_RETURN(const std::string program, hlo::to_proto(saved.program));
  message.bytes(kIdentity, saved.identity);
  message.bytes(kName, signature.name);
  message.message(kShapes, hlo::proto::write_program_shape({signature.argument_shapes, signature.result_shape}, {}));
  for (const std::string& argument : signature.argument_names) message.bytes(kArgumentNames, argument);
  message.integer(kReplicas, signature.replica_count);
  message.boolean(kMeetsOthers, signature.meets_others);
  message.real64(kRunSeconds, signature.run_seconds);
  message.bytes(kProgram, program);
  message.bytes(kCode, saved.code);
  const std::string body = std::move(message).take();
  return std::string(kMagic) + checksum(body) + body;
}

StatusOr<SavedExecutable> read_executable(std::string_view bytes) {
  const size_t head = kMagic.size() + checksum("").size();
  if (!bytes.starts_with(kMagic) || bytes.size() < head ||
      bytes.substr(kMagic.size(), head - kMagic.size()) != checksum(bytes.substr(head)))
    return invalid_argument("load: these bytes aren't a plugin's saved program, or are damaged");
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(bytes.substr(head), "saved program"));
  SavedExecutable saved;
  HILO_ASSIGN_OR_RETURN(saved.identity, message.text(kIdentity));
  HILO_ASSIGN_OR_RETURN(saved.signature, signature_in(message));
  HILO_ASSIGN_OR_RETURN(const std::string_view program, message.text(kProgram));
  HILO_ASSIGN_OR_RETURN(saved.program, hlo::from_proto(program));
  HILO_ASSIGN_OR_RETURN(saved.code, message.text(kCode));
  return saved;
}

}  // namespace hilo::plugins
