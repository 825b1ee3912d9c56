// SPDX-License-Identifier: Apache-2.0
// rpc/proto/codec.h -- encodes requests and replies as the messages of hilo/xrt/v1/xrt.proto. No other file knows the
// encoding, and it needs no protocol buffer library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

/// Encodes a message Request or Reply.
std::string encode(const Request& request);
std::string encode(const Reply& reply);
/// Encodes a message without copying an array's bytes, which keep their owner.
Pieces encode_in_pieces(const Request& request);
Pieces encode_in_pieces(const Reply& reply);

/// Decodes a message without copying an array's bytes. Handles, sizes and programs are checked where they are used.
/// Errors    INVALID_ARGUMENT naming message and field for invalid bytes or too many items in a list; UNIMPLEMENTED for
///           a field or call of a newer version
/// Cost      linear in the bytes, with memory bounded by a multiple of them
StatusOr<Request> decode_request(const Pieces& bytes);
StatusOr<Reply> decode_reply(const Pieces& bytes);
/// Decodes bytes that outlive the request, or a copy of the bytes.
StatusOr<Request> decode_request(std::string_view bytes);
StatusOr<Reply> decode_reply(std::string_view bytes);

/// Decodes a message that is a Chunk and ends with its bytes, as encode() writes it; nothing for other messages. Only
/// the bytes before the array's are read.
std::optional<Request> chunk_of(const Pieces& message);

std::string encode(const SessionReport& report);
std::string encode(const Overview& overview);
/// Decodes a report.
/// Errors    those of decode_request
StatusOr<SessionReport> decode_session_report(std::string_view bytes);
StatusOr<Overview> decode_overview(std::string_view bytes);

/// Returns the number of the call, even of an invalid message, so that its sender can be notified; 0 if none exists.
int64_t request_id(std::string_view bytes);

/// Returns the name of the request's call: "Compile".
std::string_view call_name(const Request& request);

// Streams carry batches of messages Request or Reply. A batch is a list of messages in field 1, so the concatenation of
// two batches is a batch.

/// Append a message, or the header of a message with `size` bytes, to a batch.
void append_to_batch(std::string& batch, std::string_view message);
void append_head_to_batch(std::string& batch, size_t size);
/// Removes the next message from a nonempty batch.
/// Errors    INVALID_ARGUMENT for an invalid batch, which isn't changed
StatusOr<std::string_view> take_from_batch(std::string_view& batch);
StatusOr<Pieces> take_from_batch(Pieces& batch);

}  // namespace hilo::rpc
