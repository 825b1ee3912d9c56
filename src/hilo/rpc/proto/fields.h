// SPDX-License-Identifier: Apache-2.0
// rpc/proto/fields.h -- names and numbers of all message fields, for encoding and decoding. A test compares them with
// xrt.proto.
#pragma once

#include <concepts>
#include <string_view>

#include "hilo/rpc/messages.h"
#include "hilo/rpc/overview.h"

namespace hilo::rpc {

/// T or const T.
template <typename S, typename T>
concept Maybe = std::same_as<std::remove_const_t<S>, T>;

/// Name of a struct's message in xrt.proto.
template <typename T>
inline constexpr std::string_view kMessageName = "";

// visit_fields(value, visit) calls visit("name", number, field) for every field.

template <>
inline constexpr std::string_view kMessageName<CompileLimits> = "CompileLimits";
template <Maybe<CompileLimits> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("instructions", 1, s.instructions);
  visit("compile_seconds", 2, s.compile_seconds);
  visit("memory_bytes", 3, s.memory_bytes);
  visit("run_seconds", 4, s.run_seconds);
}

template <>
inline constexpr std::string_view kMessageName<Hello> = "Hello";
template <Maybe<Hello> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("version", 1, s.version);
  visit("session", 2, s.session);
  visit("resumes", 3, s.resumes);
  visit("replica_count", 4, s.replica_count);
}

template <>
inline constexpr std::string_view kMessageName<Compile> = "Compile";
template <Maybe<Compile> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("executable", 1, s.executable);
  visit("program", 2, s.program);
  visit("replica_count", 3, s.replica_count);
  visit("devices", 4, s.devices);
  visit("result_shape", 5, s.result_shape);
  visit("limits", 6, s.limits);
  visit("is_observed", 7, s.is_observed);
  visit("times_kernels", 8, s.times_kernels);
}

template <>
inline constexpr std::string_view kMessageName<Describe> = "Describe";
template <Maybe<Describe> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("executable", 1, s.executable);
}

template <>
inline constexpr std::string_view kMessageName<Upload> = "Upload";
template <Maybe<Upload> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("buffer", 1, s.buffer);
  visit("device", 2, s.device);
  visit("shape", 3, s.shape);
  visit("bytes", 4, s.bytes);
  visit("is_chunked", 5, s.is_chunked);
  visit("is_undefined", 6, s.is_undefined);
}

template <>
inline constexpr std::string_view kMessageName<Chunk> = "Chunk";
template <Maybe<Chunk> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("buffer", 1, s.buffer);
  visit("offset", 2, s.offset);
  visit("bytes", 3, s.bytes);
}

template <>
inline constexpr std::string_view kMessageName<Download> = "Download";
template <Maybe<Download> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("buffer", 1, s.buffer);
  visit("offset", 2, s.offset);
  visit("size", 3, s.size);
}

template <>
inline constexpr std::string_view kMessageName<Copy> = "Copy";
template <Maybe<Copy> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("from", 1, s.from);
  visit("to", 2, s.to);
  visit("device", 3, s.device);
}

template <>
inline constexpr std::string_view kMessageName<Slice> = "Slice";
template <Maybe<Slice> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("from", 1, s.from);
  visit("to", 2, s.to);
  visit("index", 3, s.index);
  visit("device", 4, s.device);
}

template <>
inline constexpr std::string_view kMessageName<Stack> = "Stack";
template <Maybe<Stack> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("parts", 1, s.parts);
  visit("to", 2, s.to);
  visit("device", 3, s.device);
}

template <>
inline constexpr std::string_view kMessageName<Free> = "Free";
template <Maybe<Free> S, typename V>
void visit_fields(S&, V&&) {}

template <>
inline constexpr std::string_view kMessageName<RunPart> = "RunPart";
template <Maybe<RunPart> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("arguments", 1, s.arguments);
  visit("results", 2, s.results);
}

template <>
inline constexpr std::string_view kMessageName<Execute> = "Execute";
template <Maybe<Execute> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("executable", 1, s.executable);
  visit("parts", 2, s.parts);
  visit("donated", 3, s.donated);
  visit("device", 4, s.device);
  visit("seconds", 5, s.seconds);
  visit("is_observed", 6, s.is_observed);
}

template <>
inline constexpr std::string_view kMessageName<Cancel> = "Cancel";
template <Maybe<Cancel> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("call", 1, s.call);
}

template <>
inline constexpr std::string_view kMessageName<Statistics> = "Statistics";
template <Maybe<Statistics> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("device", 1, s.device);
}

template <>
inline constexpr std::string_view kMessageName<End> = "End";
template <Maybe<End> S, typename V>
void visit_fields(S&, V&&) {}

template <>
inline constexpr std::string_view kMessageName<Units> = "Units";
template <Maybe<Units> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("executable", 1, s.executable);
}

template <>
inline constexpr std::string_view kMessageName<DeviceDescription> = "DeviceDescription";
template <Maybe<DeviceDescription> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("id", 1, s.id);
  visit("kind", 2, s.kind);
  visit("memories", 3, s.memories);
}

template <>
inline constexpr std::string_view kMessageName<HelloReply> = "HelloReply";
template <Maybe<HelloReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("version", 1, s.version);
  visit("platform", 2, s.platform);
  visit("release", 3, s.release);
  visit("devices", 4, s.devices);
  visit("calls_in_flight", 5, s.calls_in_flight);
}

template <>
inline constexpr std::string_view kMessageName<ProgramSignature> = "ProgramSignature";
template <Maybe<ProgramSignature> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("name", 1, s.name);
  visit("argument_shapes", 2, s.argument_shapes);
  visit("argument_names", 3, s.argument_names);
  visit("result_shape", 4, s.result_shape);
  visit("replica_count", 5, s.replica_count);
  visit("meets_others", 6, s.meets_others);
  visit("run_seconds", 7, s.run_seconds);
}

template <>
inline constexpr std::string_view kMessageName<ExecutableStatistics> = "ExecutableStatistics";
template <Maybe<ExecutableStatistics> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("kernel_count", 1, s.kernel_count);
  visit("kernels_compiled", 2, s.kernels_compiled);
  visit("evaluated_count", 3, s.evaluated_count);
  visit("temporary_bytes", 4, s.temporary_bytes);
  visit("alias_bytes", 5, s.alias_bytes);
  visit("constant_bytes", 6, s.constant_bytes);
  visit("code_bytes", 7, s.code_bytes);
  visit("program_bytes", 8, s.program_bytes);
  visit("compile_milliseconds", 9, s.compile_milliseconds);
}

template <>
inline constexpr std::string_view kMessageName<PassEvent> = "PassEvent";
template <Maybe<PassEvent> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("kind", 1, s.kind);
  visit("name", 2, s.name);
  visit("changed", 3, s.changed);
  visit("milliseconds", 4, s.milliseconds);
  visit("code_bytes", 5, s.code_bytes);
  visit("module", 6, s.module);
}

template <>
inline constexpr std::string_view kMessageName<CompileReply> = "CompileReply";
template <Maybe<CompileReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("signature", 1, s.signature);
  visit("statistics", 2, s.statistics);
  visit("devices", 3, s.devices);
  visit("events", 4, s.events);
}

template <>
inline constexpr std::string_view kMessageName<BytesReply> = "BytesReply";
template <Maybe<BytesReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("bytes", 1, s.bytes);
}

template <>
inline constexpr std::string_view kMessageName<StatisticsReply> = "StatisticsReply";
template <Maybe<StatisticsReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("live_buffers", 1, s.statistics.live_buffers);
  visit("live_bytes", 2, s.statistics.live_bytes);
}

template <>
inline constexpr std::string_view kMessageName<UnitDescription> = "UnitDescription";
template <Maybe<UnitDescription> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("number", 1, s.number);
  visit("kind", 2, s.kind);
  visit("instructions", 3, s.instructions);
  visit("bytes", 4, s.bytes);
  visit("form", 5, s.form);
}

template <>
inline constexpr std::string_view kMessageName<RunReply> = "RunReply";
template <Maybe<RunReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("units", 1, s.units);
  visit("rows", 2, s.rows);
  visit("begins", 3, s.begins);
  visit("durations", 4, s.durations);
  visit("lanes", 5, s.lanes);
  visit("counts", 6, s.counts);
}

template <>
inline constexpr std::string_view kMessageName<UnitsReply> = "UnitsReply";
template <Maybe<UnitsReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("units", 1, s.units);
}

template <>
inline constexpr std::string_view kMessageName<DoneReply> = "DoneReply";
template <Maybe<DoneReply> S, typename V>
void visit_fields(S&, V&&) {}

template <>
inline constexpr std::string_view kMessageName<SessionReport> = "SessionReport";
template <Maybe<SessionReport> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("calls", 1, s.calls);
  visit("buffers", 2, s.buffers);
  visit("live_bytes", 3, s.live_bytes);
  visit("executables", 4, s.executables);
  visit("memory_bytes", 5, s.memory_bytes);
}

template <>
inline constexpr std::string_view kMessageName<SessionOverview> = "SessionOverview";
template <Maybe<SessionOverview> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("number", 1, s.number);
  visit("seconds", 2, s.seconds);
  visit("has_client", 3, s.has_client);
  visit("waiting", 4, s.waiting);
  visit("replies", 5, s.replies);
  visit("report_seconds", 6, s.report_seconds);
  visit("report", 7, s.report);
  visit("message_bytes", 8, s.message_bytes);
}

template <>
inline constexpr std::string_view kMessageName<Overview> = "Overview";
template <Maybe<Overview> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("release", 1, s.release);
  visit("seconds", 2, s.seconds);
  visit("sessions_begun", 3, s.sessions_begun);
  visit("workers_lost", 4, s.workers_lost);
  visit("replies", 5, s.replies);
  visit("connections", 6, s.connections);
  visit("strangers", 7, s.strangers);
  visit("connections_cut", 8, s.connections_cut);
  visit("sessions", 9, s.sessions);
  visit("queued", 10, s.queued);
}

// Field numbers of Request and Reply. The alternatives of the body have the numbers after these.
inline constexpr uint32_t kRequestId = 1, kRequestAcked = 2, kRequestReleases = 3;
inline constexpr uint32_t kReplyId = 1, kReplyCode = 2, kReplyMessage = 3;
inline constexpr uint32_t kFirstBody = 10;

}  // namespace hilo::rpc
