// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/proto/codec.h"

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <utility>

#include "hilo/base/sizes.h"
#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/rpc/proto/fields.h"

namespace hilo::rpc {
namespace {

using hlo::proto::take_varint;
using hlo::proto::WireField;
using hlo::proto::WireReader;
using hlo::proto::WireType;
using hlo::proto::WireWriter;

constexpr size_t kMaxItems = size_t{1} << 20;  // maximum number of items in a list

constexpr uint64_t tag_of(uint32_t number) { return number << 3 | ordinal(WireType::kBytes); }

template <typename T>
concept Message = !kMessageName<T>.empty();

// ---- Encoding.

template <Message T>
WireWriter write_message(const T& message);

void write(WireWriter& out, uint32_t number, bool value) { out.boolean(number, value); }
void write(WireWriter& out, uint32_t number, int64_t value) { out.integer(number, value); }
void write(WireWriter& out, uint32_t number, double value) { out.real64(number, value); }
void write(WireWriter& out, uint32_t number, std::string_view value) {
  if (!value.empty()) out.bytes(number, value);
}
void write(WireWriter& out, uint32_t number, const Handle& value) { out.bytes(number, value.bytes()); }
void write(WireWriter& out, uint32_t number, const Shape& value) {
  out.message(number, hlo::proto::write_shape(value));
}
void write(WireWriter& out, uint32_t number, const std::vector<int64_t>& values) { out.integers(number, values); }
template <Message T>
void write(WireWriter& out, uint32_t number, const T& value) {
  out.message(number, write_message(value));
}
template <typename T>
void write(WireWriter& out, uint32_t number, const std::optional<T>& value) {
  if (value) write(out, number, *value);
}
template <typename T>
void write(WireWriter& out, uint32_t number, const std::vector<T>& values) {
  for (const T& value : values) write(out, number, value);
}

/// Returns whether a field has type `bytes`. All other text has type `string`, which must be UTF-8.
bool is_bytes(std::string_view name) { return name == "program" || name == "bytes" || name == "module"; }

template <Message T>
WireWriter write_message(const T& message) {
  WireWriter out;
  visit_fields(message, [&]<typename F>(std::string_view name, uint32_t number, const F& field) {
    if constexpr (std::same_as<F, std::vector<std::string>>) {
      for (const std::string& item : field) out.bytes(number, hlo::proto::utf8(item));  // empty items count, too
    } else if constexpr (std::same_as<F, std::string>) {
      if (is_bytes(name)) write(out, number, field);
      else write(out, number, hlo::proto::utf8(field));
    } else {
      write(out, number, field);
    }
  });
  return out;
}

/// Messages that consist mostly of an array's bytes, which aren't copied.
template <typename T>
concept Payload = std::same_as<T, Chunk> || std::same_as<T, BytesReply>;

/// Number of the field with the array's bytes, which is the last one.
template <Payload T>
uint32_t payload_field() {
  uint32_t number = 0;
  const T any;
  visit_fields(any, [&]<typename F>(std::string_view, uint32_t field, const F&) {
    if constexpr (std::same_as<F, Pieces>) number = field;
  });
  return number;
}

/// Encodes everything before the array's bytes.
template <Payload T>
std::string append_until_payload(std::string message, uint32_t number, const T& value) {
  WireWriter inner, outer;
  visit_fields(value, [&]<typename F>(std::string_view, uint32_t field, const F& one) {
    if constexpr (!std::same_as<F, Pieces>) write(inner, field, one);
  });
  inner.raw_varint(tag_of(payload_field<T>()));
  inner.raw_varint(value.bytes.size());
  outer.raw_varint(tag_of(number));
  outer.raw_varint(inner.view().size() + value.bytes.size());
  return std::move(message.append(outer.view()).append(inner.view()));
}

template <typename Body>
Pieces append_body(WireWriter out, const Body& body) {
  const uint32_t number = kFirstBody + static_cast<uint32_t>(body.index());
  return std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (Payload<T>) {
          return joined(append_until_payload(std::move(out).take(), number, value), value.bytes);
        } else {
          write(out, number, value);
          return Pieces(std::move(out).take());
        }
      },
      body);
}

// ---- Decoding. `where` is "Upload.device".

Status check_type(const WireField& field, WireType wanted, const std::string& where) {
  if (field.type == wanted) return ok_status();
  return invalid_argument(
      fmt::format("{}: got wire type {}; wanted {}", where, static_cast<int>(field.type), static_cast<int>(wanted)));
}

template <Message T>
Status read_message(std::string_view bytes, T& message);

Status read(const WireField& field, const std::string& where, bool& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kVarint, where));
  value = field.value != 0;
  return ok_status();
}
Status read(const WireField& field, const std::string& where, int64_t& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kVarint, where));
  value = field.value;
  return ok_status();
}
Status read(const WireField& field, const std::string& where, double& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kFixed64, where));
  value = std::bit_cast<double>(field.value);
  return ok_status();
}
Status read(const WireField& field, const std::string& where, std::string& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  value = field.bytes;
  return ok_status();
}
Status read(const WireField& field, const std::string& where, Pieces& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  value = Pieces({field.bytes}, nullptr);
  return ok_status();
}
Status read(const WireField& field, const std::string& where, Handle& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  if (field.bytes.size() != sizeof(Handle)) {
    return invalid_argument(
        fmt::format("{}: a handle of {} bytes; wanted {}", where, field.bytes.size(), sizeof(Handle)));
  }
  std::memcpy(&value, field.bytes.data(), sizeof(Handle));
  return ok_status();
}
Status read(const WireField& field, const std::string& where, Shape& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  StatusOr<Shape> shape = hlo::proto::read_shape(field.bytes);
  if (!shape.ok()) return shape.status().with_context(where);
  value = *shape;
  return ok_status();
}
template <Message T>
Status read(const WireField& field, const std::string& where, T& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  return read_message(field.bytes, value);
}
template <typename T>
Status read(const WireField& field, const std::string& where, std::optional<T>& value) {
  return read(field, where, value.emplace());
}
Status check_count(size_t count, const std::string& where) {
  if (count < kMaxItems) return ok_status();
  return invalid_argument(fmt::format("{}: more than {} items", where, kMaxItems));
}
/// Reads a list of numbers, packed or not.
Status read(const WireField& field, const std::string& where, std::vector<int64_t>& values) {
  if (field.type == WireType::kVarint) {
    HILO_RETURN_IF_ERROR(check_count(values.size(), where));
    values.push_back(field.value);
    return ok_status();
  }
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  uint64_t value = 0;
  int shift = 0;
  for (const char byte : field.bytes) {
    if (shift > 63) return invalid_argument(where + ": a varint of more than ten bytes");
    value |= static_cast<uint64_t>(static_cast<uint8_t>(byte) & 0x7f) << shift;
    shift += 7;
    if ((static_cast<uint8_t>(byte) & 0x80) != 0) continue;
    HILO_RETURN_IF_ERROR(check_count(values.size(), where));
    values.push_back(value);
    value = 0;
    shift = 0;
  }
  return shift == 0 ? ok_status() : invalid_argument(where + ": the last varint is cut off");
}
template <typename T>
Status read(const WireField& field, const std::string& where, std::vector<T>& values) {
  HILO_RETURN_IF_ERROR(check_count(values.size(), where));
  return read(field, where, values.emplace_back());
}

Status unknown_field(std::string_view message, uint32_t number) {
  return unimplemented(fmt::format("{}: field {} is unknown to version {} of hilo.xrt. Hint: the other side is newer",
                                   message, number, kVersion));
}

template <Message T>
Status read_message(std::string_view bytes, T& message) {
  // In proto3 a missing number is 0.
  visit_fields(message, []<typename F>(std::string_view, uint32_t, F& value) {
    if constexpr (std::is_arithmetic_v<F>) value = 0;
  });
  WireReader reader(bytes, kMessageName<T>);
  WireField field;
  while (!reader.at_end()) {
    HILO_RETURN_IF_ERROR(reader.next(field));
    bool known = false;
    Status status;
    visit_fields(message, [&](std::string_view name, uint32_t number, auto& value) {
      if (number != field.number) return;
      known = true;
      status = read(field, fmt::format("{}.{}", kMessageName<T>, name), value);
    });
    if (!known) return unknown_field(kMessageName<T>, field.number);
    HILO_RETURN_IF_ERROR(status);
  }
  return ok_status();
}

/// Reads alternative `index` of a variant. UNIMPLEMENTED if it doesn't exist.
template <typename Body, size_t I = 0>
Status read_body(size_t index, const WireField& field, std::string_view message, Body& body) {
  if constexpr (I == std::variant_size_v<Body>) {
    return unknown_field(message, field.number);
  } else {
    if (index != I) return read_body<Body, I + 1>(index, field, message, body);
    return read(field, std::string(message), body.template emplace<I>());
  }
}

Status read_status(int64_t code, std::string message, Status& status) {
  if (code < 0 || code > static_cast<int64_t>(StatusCode::kUnauthenticated))
    return invalid_argument(fmt::format("Reply.code: {} is not a status code", code));
  if (code != 0) status = Status(static_cast<StatusCode>(code), std::move(message));
  return ok_status();
}

template <typename Body>
bool is_body(const WireField& field) {
  return field.number >= kFirstBody && field.number < kFirstBody + std::variant_size_v<Body>;
}

StatusOr<Request> read_whole(std::string_view bytes, const Request*) {
  Request request;
  bool has_body = false;
  WireReader reader(bytes, "Request");
  WireField field;
  while (!reader.at_end()) {
    HILO_RETURN_IF_ERROR(reader.next(field));
    if (field.number == kRequestId) HILO_RETURN_IF_ERROR(read(field, "Request.id", request.id));
    else if (field.number == kRequestAcked) HILO_RETURN_IF_ERROR(read(field, "Request.acked", request.acked));
    else if (field.number == kRequestReleases) HILO_RETURN_IF_ERROR(read(field, "Request.releases", request.releases));
    else HILO_RETURN_IF_ERROR(read_body(field.number - kFirstBody, field, "Request", request.body));
    has_body |= is_body<RequestBody>(field);
  }
  if (!has_body) return invalid_argument("Request: the call is missing");
  return request;
}

StatusOr<Reply> read_whole(std::string_view bytes, const Reply*) {
  Reply reply;
  int64_t code = 0;
  std::string message;
  WireReader reader(bytes, "Reply");
  WireField field;
  while (!reader.at_end()) {
    HILO_RETURN_IF_ERROR(reader.next(field));
    if (field.number == kReplyId) HILO_RETURN_IF_ERROR(read(field, "Reply.id", reply.id));
    else if (field.number == kReplyCode) HILO_RETURN_IF_ERROR(read(field, "Reply.code", code));
    else if (field.number == kReplyMessage) HILO_RETURN_IF_ERROR(read(field, "Reply.message", message));
    else HILO_RETURN_IF_ERROR(read_body(field.number - kFirstBody, field, "Reply", reply.body));
  }
  HILO_RETURN_IF_ERROR(read_status(code, std::move(message), reply.status));
  if (auto* compiled = std::get_if<CompileReply>(&reply.body))
    compiled->signature.result_shapes = compiled->signature.result_shape.leaves();
  return reply;
}

// ---- Decoding from several pieces.

/// The position of a field in the first bytes of a message: of its tag, the end of the tag, and its value.
struct Place {
  size_t begin, tag_end, value;
};

/// Finds the field with this number that extends to the end of a message of `size` bytes. `bytes` are the first bytes
/// of the message; the search begins at `position`.
std::optional<Place> find_last(std::string_view bytes, size_t position, size_t size, uint32_t number) {
  while (position < bytes.size()) {
    Place place{.begin = position, .tag_end = 0, .value = 0};
    uint64_t tag = 0, value = 0;  // value, or the length of a value
    if (!take_varint(bytes, position, tag)) return std::nullopt;
    place.tag_end = position;
    if (!take_varint(bytes, position, value)) return std::nullopt;
    place.value = position;
    const auto type = static_cast<WireType>(tag & 7);
    if (type == WireType::kVarint) continue;
    if (tag == tag_of(number)) return value == size - position ? std::optional(place) : std::nullopt;
    if (type != WireType::kBytes || value > bytes.size() - position) return std::nullopt;
    position += value;
  }
  return std::nullopt;
}

template <typename T, typename... All>
constexpr uint32_t body_number(const std::variant<All...>*) {
  uint32_t index = 0;
  static_cast<void>(((std::same_as<T, All> || (++index, false)) || ...));
  return kFirstBody + index;
}
/// Returns the part of a message that may contain an array's bytes.
Chunk* payload_of(Request& request) { return std::get_if<Chunk>(&request.body); }
BytesReply* payload_of(Reply& reply) { return std::get_if<BytesReply>(&reply.body); }

/// Decodes a message that ends with an array's bytes, from the bytes before them.
template <typename T, typename M>
std::optional<M> read_until_payload(const Pieces& message) {
  constexpr size_t kMaxHeaderBytes =
      256;  // maximum bytes before the array's; messages with more don't end with an array
  const std::string head = message.part(0, kMaxHeaderBytes).whole();
  const size_t size = message.size();
  const auto outer = find_last(head, 0, size, body_number<T>(static_cast<const decltype(M::body)*>(nullptr)));
  if (!outer) return std::nullopt;
  const auto inner = find_last(head, outer->value, size, payload_field<T>());
  if (!inner) return std::nullopt;
  WireWriter length;
  length.raw_varint(inner->begin - outer->value);
  std::string without = head.substr(0, outer->tag_end);
  without.append(length.view()).append(head, outer->value, inner->begin - outer->value);
  StatusOr<M> read = read_whole(without, static_cast<const M*>(nullptr));
  if (!read.ok()) return std::nullopt;  // decoding of the complete message reports the error
  payload_of(*read)->bytes = message.part(inner->value);
  return *std::move(read);
}

template <typename T, typename M>
StatusOr<M> read_pieces(const Pieces& message) {
  if (message.parts.size() > 1) {
    if (std::optional<M> read = read_until_payload<T, M>(message)) return *std::move(read);
    return read_pieces<T, M>(Pieces(message.whole()));
  }
  StatusOr<M> read =
      read_whole(message.empty() ? std::string_view() : message.parts[0], static_cast<const M*>(nullptr));
  if (auto* const payload = read.ok() ? payload_of(*read) : nullptr; payload != nullptr)
    payload->bytes.owner = message.owner;
  return read;
}

}  // namespace

Pieces encode_in_pieces(const Request& request) {
  WireWriter out;
  write(out, kRequestId, request.id);
  write(out, kRequestAcked, request.acked);
  write(out, kRequestReleases, request.releases);
  return append_body(std::move(out), request.body);
}

Pieces encode_in_pieces(const Reply& reply) {
  WireWriter out;
  write(out, kReplyId, reply.id);
  write(out, kReplyCode, static_cast<int64_t>(reply.status.code()));
  write(out, kReplyMessage, hlo::proto::utf8(reply.status.message()));
  return append_body(std::move(out), reply.body);
}

std::string encode(const Request& request) { return encode_in_pieces(request).whole(); }
std::string encode(const Reply& reply) { return encode_in_pieces(reply).whole(); }

StatusOr<Request> decode_request(std::string_view bytes) {
  return read_whole(bytes, static_cast<const Request*>(nullptr));
}
StatusOr<Request> decode_request(const Pieces& bytes) { return read_pieces<Chunk, Request>(bytes); }
StatusOr<Reply> decode_reply(std::string_view bytes) { return decode_reply(Pieces(std::string(bytes))); }
StatusOr<Reply> decode_reply(const Pieces& bytes) { return read_pieces<BytesReply, Reply>(bytes); }

std::optional<Request> chunk_of(const Pieces& message) { return read_until_payload<Chunk, Request>(message); }

std::string encode(const SessionReport& report) { return write_message(report).take(); }
std::string encode(const Overview& overview) { return write_message(overview).take(); }

StatusOr<SessionReport> decode_session_report(std::string_view bytes) {
  SessionReport report;
  HILO_RETURN_IF_ERROR(read_message(bytes, report));
  return report;
}
StatusOr<Overview> decode_overview(std::string_view bytes) {
  Overview overview;
  HILO_RETURN_IF_ERROR(read_message(bytes, overview));
  return overview;
}

int64_t request_id(std::string_view bytes) {
  WireReader reader(bytes, "Request");
  WireField field;
  while (!reader.at_end() && reader.next(field).ok()) {
    if (field.number == kRequestId && field.type == WireType::kVarint) return static_cast<int64_t>(field.value);
  }
  return 0;
}

std::string_view call_name(const Request& request) {
  return std::visit([](const auto& body) { return kMessageName<std::remove_cvref_t<decltype(body)>>; }, request.body);
}

void append_head_to_batch(std::string& batch, size_t size) {
  batch.push_back(static_cast<char>(tag_of(1)));
  for (; size >= 0x80; size >>= 7) batch.push_back(static_cast<char>((size & 0x7f) | 0x80));
  batch.push_back(static_cast<char>(size));
}

void append_to_batch(std::string& batch, std::string_view message) {
  append_head_to_batch(batch, message.size());
  batch += message;
}

namespace {

constexpr size_t kMaxHeaderBytes = 11;  // bytes of tag and length of a message in a batch

/// Range of the first message in a batch, computed from the first bytes `head` alone. Decoding the complete batch would
/// start again for every part that arrives.
struct Stretch {
  size_t begin, size;
};
StatusOr<Stretch> first_message(std::string_view head, size_t batch) {
  if (head[0] != static_cast<char>(tag_of(1)))
    return invalid_argument("a batch of messages: no message begins at byte 0");
  size_t position = 1;
  uint64_t size = 0;
  if (!take_varint(head.substr(0, kMaxHeaderBytes), position, size))
    return invalid_argument("a batch of messages: a message's length is cut off");
  if (size > batch - position) {
    return invalid_argument(
        fmt::format("a batch of messages: length {} exceeds the {} bytes present", size, batch - position));
  }
  return Stretch{position, static_cast<size_t>(size)};
}

}  // namespace

StatusOr<std::string_view> take_from_batch(std::string_view& batch) {
  HILO_ASSIGN_OR_RETURN(const Stretch found, first_message(batch, batch.size()));
  const std::string_view message = batch.substr(found.begin, found.size);
  batch.remove_prefix(found.begin + found.size);
  return message;
}

StatusOr<Pieces> take_from_batch(Pieces& batch) {
  const size_t size = batch.size();
  HILO_ASSIGN_OR_RETURN(const Stretch found, first_message(batch.part(0, kMaxHeaderBytes).whole(), size));
  Pieces message = batch.part(found.begin, found.size);
  batch = batch.part(found.begin + found.size);
  return message;
}

}  // namespace hilo::rpc
