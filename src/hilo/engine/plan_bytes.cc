// SPDX-License-Identifier: Apache-2.0
// Numbers are varints, signed ones zigzag. Texts and lists begin with their length. Shapes and instructions are HLO
// text.
#include "hilo/engine/plan_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "hilo/engine/plan_fields.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::engine {
namespace {

HILO_FIELDS(ProgramSignature, "name", s.name, "argument_shapes", s.argument_shapes, "argument_names", s.argument_names,
            "result_shapes", s.result_shapes, "result_shape", s.result_shape, "replica_count", s.replica_count,
            "meets_others", s.meets_others, "fingerprint", s.fingerprint, "run_seconds", s.run_seconds)

template <typename T>
concept Fields = HasFields<T> || std::same_as<T, ProgramSignature>;

class Writer {
 public:
  void write(bool value) { out.push_back(value ? '\1' : '\0'); }
  void write(uint64_t value) {
    for (; value >= 128; value >>= 7) out.push_back(static_cast<char>(value | 128));
    out.push_back(static_cast<char>(value));
  }
  void write(uint32_t value) { write(uint64_t{value}); }
  void write(int64_t value) { write((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  template <typename E>
    requires std::is_enum_v<E>
  void write(E value) {
    write(static_cast<uint64_t>(value));
  }
  void write(double value) { raw(std::string_view(reinterpret_cast<const char*>(&value), sizeof value)); }
  void write(std::string_view text) {
    write(uint64_t{text.size()});
    raw(text);
  }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(const Shape& shape) { write(hlo::print_shape(shape)); }
  void write(const Literal& literal) {
    write(literal.shape());
    write(std::string_view(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size()));
  }
  void write(const ObjectPtr& object) { write(*object); }
  void write(const hlo::ComputationPtr& call) { write(call == nullptr ? std::string() : text_of_call(call)); }
  template <typename T>
  void write(const std::vector<T>& list) {
    write(uint64_t{list.size()});
    for (const T& element : list) write(element);
  }
  template <Fields T>
  void write(const T& value) {
    visit_fields(value, [this](const char*, const auto& field) { this->write(field); });
  }

  std::string out;

 private:
  void raw(std::string_view bytes) { out.append(bytes); }
};

/// Reads fields in the order in which Writer writes them. After an error all values are empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  void read(bool& value) { value = byte() != 0; }
  void read(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= static_cast<uint64_t>(next & 127) << shift;
      if (next < 128) return;
    }
    fail("a number of more than 64 bits");
  }
  void read(uint32_t& value) {
    const uint64_t wide = number();
    value = static_cast<uint32_t>(wide);
    if (value != wide) fail("a number of more than 32 bits");
  }
  void read(int64_t& value) {
    const uint64_t zigzag = number();
    value = static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
  }
  template <typename E>
    requires std::is_enum_v<E>
  void read(E& value) {
    const uint64_t wide = number();
    value = static_cast<E>(wide);
    if (static_cast<uint64_t>(value) != wide) fail("an unknown word");
  }
  void read(double& value) {
    const std::string_view raw = take(sizeof value);
    if (raw.size() == sizeof value) std::memcpy(&value, raw.data(), sizeof value);
  }
  void read(std::string& text) { text = read_sized(); }
  void read(Shape& shape) {
    StatusOr<Shape> read = hlo::parse_shape(read_sized());
    if (read.ok()) shape = *std::move(read);
    else fail(read.status().message());
  }
  void read(Literal& literal) {
    Shape shape;
    read(shape);
    const std::string_view data = read_sized();
    if (!status_.ok()) return;
    if (!shape.is_array() || static_cast<uint64_t>(shape.byte_size()) != data.size())
      return fail("a constant whose size isn't that of its shape");
    StatusOr<Literal> result = Literal::make(shape);
    if (!result.ok()) return fail(result.status().message());
    if (!data.empty()) std::memcpy(result->mutable_bytes().data(), data.data(), data.size());
    literal = *std::move(result);
  }
  void read(ObjectPtr& object) { object = std::make_shared<const std::string>(read_sized()); }
  void read(hlo::ComputationPtr& call) {
    const std::string_view text = read_sized();
    if (text.empty()) return;
    StatusOr<hlo::Module> module = hlo::parse_module(text);
    if (module.ok()) call = module->entry;
    else fail(module.status().message());
  }
  template <typename T>
  void read(std::vector<T>& list) {
    const uint64_t size = number();
    // each element has at least one byte
    if (size > bytes_.size() - at_) return fail("a list that is longer than the file");
    list.reserve(size);
    for (uint64_t k = 0; k < size && status_.ok(); ++k) {
      T element{};
      read(element);
      list.push_back(std::move(element));
    }
  }
  template <Fields T>
  void read(T& value) {
    visit_fields(value, [this](const char*, auto& field) { this->read(field); });
  }

  Status finish() {
    if (at_ != bytes_.size()) fail("more bytes than expected");
    return status_;
  }

 private:
  void fail(std::string_view what) {
    if (status_.ok()) status_ = invalid_argument(fmt::format("reading a saved program: {} at byte {}", what, at_));
    at_ = bytes_.size();
  }
  std::string_view take(size_t size) {
    if (size > bytes_.size() - at_) {
      fail("it ends too early");
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  std::string_view read_sized() { return take(number()); }
  uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? 0 : static_cast<uint8_t>(one[0]);
  }
  uint64_t number() {
    uint64_t value = 0;
    read(value);
    return status_.ok() ? value : 0;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  Status status_;
};

template <Fields T>
std::string bytes_of(const T& value) {
  Writer writer;
  writer.write(value);
  return std::move(writer.out);
}

template <Fields T>
StatusOr<T> from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  T value;
  reader.read(value);
  HILO_RETURN_IF_ERROR(reader.finish());
  return value;
}

}  // namespace

std::string plan_bytes(const Plan& plan) { return bytes_of(plan); }

StatusOr<Plan> plan_from_bytes(std::string_view bytes) {
  HILO_ASSIGN_OR_RETURN(Plan plan, from_bytes<Plan>(bytes));
  HILO_RETURN_IF_ERROR(check_plan(plan));
  return plan;
}

std::string signature_bytes(const ProgramSignature& signature) { return bytes_of(signature); }

StatusOr<ProgramSignature> signature_from_bytes(std::string_view bytes) { return from_bytes<ProgramSignature>(bytes); }

}  // namespace hilo::engine
