// SPDX-License-Identifier: Apache-2.0
// magic | checksum of everything after it | stamp | signature | plan | module; the length precedes each of the last
// four.
#include "hilo/backend/cpu/load/saved_program.h"

#include <fmt/format.h>
#include <llvm/Support/xxhash.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "hilo/backend/cpu/load/codegen_table.h"
#include "hilo/base/build_id.h"
#include "hilo/base/files.h"
#include "hilo/engine/plan_bytes.h"
#include "hilo/hlo/proto/wire.h"

namespace hilo::cpu {

namespace {

using hlo::proto::WireMessage;
using hlo::proto::WireWriter;

constexpr std::string_view kMagic = "hilo executable\n";
constexpr size_t kChecksumBytes = 16;
constexpr uint32_t kCodeId = 1, kSignature = 2, kPlan = 3, kModule = 4;  // the fields of the message

std::string checksum_of(std::string_view bytes) {
  const llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  std::string checksum(kChecksumBytes, '\0');
  std::memcpy(checksum.data(), &hash.low64, 8);
  std::memcpy(checksum.data() + 8, &hash.high64, 8);
  return checksum;
}

/// Returns the build that produced the code: that of the library, and that of its code generator.
const std::string& code_id() {
  static const auto* const id = new std::string(build_id() + " " + linked_id(companion_path(CodegenTable::kNames)));
  return *id;
}

}  // namespace

std::string save_program(const ProgramSignature& signature, const engine::Plan& plan, std::string_view module) {
  WireWriter message;
  message.bytes(kCodeId, code_id());
  message.bytes(kSignature, engine::signature_bytes(signature));
  message.bytes(kPlan, engine::plan_bytes(plan));
  message.bytes(kModule, module);
  const std::string body = std::move(message).take();
  return std::string(kMagic) + checksum_of(body) + body;
}

bool is_saved_program(std::string_view bytes) { return bytes.starts_with(kMagic); }

StatusOr<SavedProgram> read_program(std::string_view bytes) {
  if (!is_saved_program(bytes) || bytes.size() < kMagic.size() + kChecksumBytes)
    return invalid_argument(
        "reading a saved program: these bytes aren't a saved program. Hint: use the bytes of Executable::serialize()");
  std::string_view rest = bytes.substr(kMagic.size());
  const std::string_view checksum = rest.substr(0, kChecksumBytes);
  rest.remove_prefix(kChecksumBytes);
  if (checksum != checksum_of(rest))
    return invalid_argument("reading a saved program: its checksum differs: the bytes are damaged");
  HILO_ASSIGN_OR_RETURN(const WireMessage message, WireMessage::read(rest, "saved program"));
  HILO_ASSIGN_OR_RETURN(const std::string_view stamp, message.text(kCodeId));
  if (stamp != code_id())
    return failed_precondition(
        fmt::format("reading a saved program: it was saved by hilo {}; this is {}", stamp, code_id()));
  SavedProgram program;
  HILO_ASSIGN_OR_RETURN(const std::string_view signature, message.text(kSignature));
  HILO_ASSIGN_OR_RETURN(program.signature, engine::signature_from_bytes(signature));
  HILO_ASSIGN_OR_RETURN(const std::string_view plan, message.text(kPlan));
  HILO_ASSIGN_OR_RETURN(program.plan, engine::plan_from_bytes(plan));
  HILO_ASSIGN_OR_RETURN(const std::string_view module, message.text(kModule));
  program.module = module;
  return program;
}

StatusOr<std::optional<std::string>> read_saved(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::optional<std::string>();
  std::string beginning(64, '\0');  // other files are read by the reader of programs
  std::ifstream(path, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  if (!is_saved_program(beginning)) return std::optional<std::string>();
  HILO_ASSIGN_OR_RETURN(std::string bytes, read_file(path));
  return std::optional(std::move(bytes));
}

}  // namespace hilo::cpu
