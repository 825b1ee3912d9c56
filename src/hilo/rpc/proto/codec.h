// SPDX-License-Identifier: Apache-2.0
// rpc/proto/codec.h -- requests and replies as the messages of hilo/xrt/v1/xrt.proto. The one file that knows how they
// are written; no library of protocol buffers is needed for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

/// A message Request or Reply.
std::string encode(const Request& request);
std::string encode(const Reply& reply);
/// The same, in which an array's bytes stay where they are, and have the owner that they had.
Pieces encode_in_pieces(const Request& request);
Pieces encode_in_pieces(const Reply& reply);

/// The message that these bytes are; those of an array stay where they are. What follows from a message is checked
/// where it is used: handles, sizes, programs.
/// Errors    INVALID_ARGUMENT naming message and field for bytes that are none, or too many items in a list;
///           UNIMPLEMENTED for a field or a call that this version doesn't have: the other side is newer
/// Cost      linear in the bytes; memory is bounded by a multiple of them
StatusOr<Request> decode_request(const Pieces& bytes);
StatusOr<Reply> decode_reply(const Pieces& bytes);
/// The same of bytes that the caller keeps as long as the request; and of bytes that are copied.
StatusOr<Request> decode_request(std::string_view bytes);
StatusOr<Reply> decode_reply(std::string_view bytes);

/// The request of a message that is a Chunk and ends with its bytes, as encode() writes one; none for any other. Of the
/// bytes only those before the array's are looked at.
std::optional<Request> chunk_of(const Pieces& message);

std::string encode(const SessionReport& report);
std::string encode(const Overview& overview);
/// Errors    as of decode_request
StatusOr<SessionReport> decode_session_report(std::string_view bytes);
StatusOr<Overview> decode_overview(std::string_view bytes);

/// The number of the call, of bytes that need be no message: who sent them can be told; 0 if there is none.
int64_t request_id(std::string_view bytes);

/// The request's call: "Compile".
std::string_view call_name(const Request& request);

// A stream carries batches, messages Requests or Replies: each a list of messages as field 1. Two batches, one after
// the other, are one.

/// Appends a message to a batch; or what stands before one of so many bytes.
void append_to_batch(std::string& batch, std::string_view message);
void append_head_to_batch(std::string& batch, size_t size);
/// Takes the next message off the batch, which isn't empty.
/// Errors    INVALID_ARGUMENT for what is no batch, which stays as it is
StatusOr<std::string_view> take_from_batch(std::string_view& batch);
StatusOr<Pieces> take_from_batch(Pieces& batch);

}  // namespace hilo::rpc
