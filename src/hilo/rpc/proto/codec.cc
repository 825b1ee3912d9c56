// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/proto/codec.h"

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <utility>

#include "hilo/hlo/proto/shapes.h"
#include "hilo/hlo/proto/wire.h"
#include "hilo/rpc/proto/fields.h"

namespace hilo::rpc {
namespace {

using hlo::proto::WireField;
using hlo::proto::WireReader;
using hlo::proto::WireType;
using hlo::proto::WireWriter;

constexpr size_t kMostItems = size_t{1} << 20;  // of one list

constexpr uint64_t tag_of(uint32_t number) { return number << 3 | static_cast<uint64_t>(WireType::kBytes); }

template <typename T>
concept Message = !kMessageName<T>.empty();

// ---- Writing.

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
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) out.bytes(number, value);  // an empty item is there too
    else write(out, number, value);
  }
}

template <Message T>
WireWriter write_message(const T& message) {
  WireWriter out;
  visit_fields(message, [&](std::string_view, uint32_t number, const auto& field) { write(out, number, field); });
  return out;
}

/// What is an array's bytes and little else: they are copied once, not into one message after the other.
template <typename T>
concept Payload = std::same_as<T, Chunk> || std::same_as<T, BytesReply>;

template <Payload T>
std::string append_payload(std::string message, uint32_t number, const T& value) {
  WireWriter inner, outer;
  visit_fields(value, [&]<typename F>(std::string_view, uint32_t field, const F& one) {
    if constexpr (!std::convertible_to<F, std::string_view>) write(inner, field, one);
  });
  visit_fields(value, [&]<typename F>(std::string_view, uint32_t field, const F&) {
    if constexpr (std::convertible_to<F, std::string_view>) inner.raw_varint(tag_of(field));  // the last one
  });
  inner.raw_varint(value.bytes.size());
  outer.raw_varint(tag_of(number));
  outer.raw_varint(inner.view().size() + value.bytes.size());
  message.reserve(message.size() + outer.view().size() + inner.view().size() + value.bytes.size());
  return std::move(message.append(outer.view()).append(inner.view()).append(value.bytes));
}

template <typename Body>
std::string append_body(WireWriter out, const Body& body) {
  const uint32_t number = kFirstBody + static_cast<uint32_t>(body.index());
  return std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (Payload<T>) {
          return append_payload(std::move(out).take(), number, value);
        } else {
          write(out, number, value);
          return std::move(out).take();
        }
      },
      body);
}

// ---- Reading. `where` is "Upload.device".

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
  value = static_cast<int64_t>(field.value);
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
Status read(const WireField& field, const std::string& where, std::string_view& value) {
  HILO_RETURN_IF_ERROR(check_type(field, WireType::kBytes, where));
  value = field.bytes;
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
  if (count < kMostItems) return ok_status();
  return invalid_argument(fmt::format("{}: more than {} items", where, kMostItems));
}
/// Packed or one by one.
Status read(const WireField& field, const std::string& where, std::vector<int64_t>& values) {
  if (field.type == WireType::kVarint) {
    HILO_RETURN_IF_ERROR(check_count(values.size(), where));
    values.push_back(static_cast<int64_t>(field.value));
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
    values.push_back(static_cast<int64_t>(value));
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

/// Reads alternative `index` of a variant; UNIMPLEMENTED if there is none.
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
    return invalid_argument(fmt::format("Reply.code: {} is no status", code));
  if (code != 0) status = Status(static_cast<StatusCode>(code), std::move(message));
  return ok_status();
}

template <typename Body>
bool is_body(const WireField& field) {
  return field.number >= kFirstBody && field.number < kFirstBody + std::variant_size_v<Body>;
}

}  // namespace

std::string encode(const Request& request) {
  WireWriter out;
  write(out, kRequestId, request.id);
  write(out, kRequestAcked, request.acked);
  write(out, kRequestReleases, request.releases);
  return append_body(std::move(out), request.body);
}

std::string encode(const Reply& reply) {
  WireWriter out;
  write(out, kReplyId, reply.id);
  write(out, kReplyCode, static_cast<int64_t>(reply.status.code()));
  write(out, kReplyMessage, hlo::proto::utf8(reply.status.message()));
  return append_body(std::move(out), reply.body);
}

StatusOr<Request> decode_request(std::string_view bytes) {
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
  if (!has_body) return invalid_argument("Request: it asks for nothing; wanted one of its calls");
  return request;
}

StatusOr<Reply> decode_reply(std::string_view bytes) {
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

StatusOr<std::string_view> take_from_batch(std::string_view& batch) {
  constexpr size_t kMostHead = 11;  // tag and length
  // The head alone tells where the message ends; a reader of the whole would have to begin anew each time.
  if (batch[0] != static_cast<char>(tag_of(1)))
    return invalid_argument("a batch of messages: byte 0 begins no message");
  size_t size = 0, position = 1;
  int shift = 0;
  for (;; shift += 7) {
    if (position == batch.size() || position == kMostHead)
      return invalid_argument("a batch of messages: the length of one is cut off");
    const auto byte = static_cast<uint8_t>(batch[position++]);
    size |= static_cast<size_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (size > batch.size() - position) {
    return invalid_argument(
        fmt::format("a batch of messages: length {} exceeds the {} bytes present", size, batch.size() - position));
  }
  const std::string_view message = batch.substr(position, size);
  batch.remove_prefix(position + size);
  return message;
}

}  // namespace hilo::rpc
