// SPDX-License-Identifier: Apache-2.0
// rpc/proto/fields.h -- names and numbers of all message fields, for encoding and decoding. A test compares them with
// xrt.proto.
#pragma once

#include <boost/preprocessor/seq/for_each_i.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
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

#define HILO_MESSAGE_FIELD(r, data, i, field) visit(BOOST_PP_STRINGIZE(field), i + 1, s.field);
/// Defines kMessageName and visit_fields of a struct. The fields are numbered from 1 in the order of this list.
#define HILO_MESSAGE(Type, ...)                                                           \
  template <>                                                                             \
  inline constexpr std::string_view kMessageName<Type> = #Type;                           \
  template <Maybe<Type> S, typename V>                                                    \
  void visit_fields(S& s, V&& visit) {                                                    \
    BOOST_PP_SEQ_FOR_EACH_I(HILO_MESSAGE_FIELD, _, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)) \
  }
#define HILO_EMPTY_MESSAGE(Type)                                \
  template <>                                                   \
  inline constexpr std::string_view kMessageName<Type> = #Type; \
  template <Maybe<Type> S, typename V>                          \
  void visit_fields(S&, V&&) {}

HILO_MESSAGE(CompileLimits, instructions, compile_seconds, memory_bytes, run_seconds)
HILO_MESSAGE(Hello, version, session, resumes, replica_count)
HILO_MESSAGE(Compile, executable, program, replica_count, devices, result_shape, limits, is_observed, times_kernels)
HILO_MESSAGE(Describe, executable)
HILO_MESSAGE(Upload, buffer, device, shape, bytes, is_chunked, is_undefined)
HILO_MESSAGE(Chunk, buffer, offset, bytes)
HILO_MESSAGE(Download, buffer, offset, size)
HILO_MESSAGE(Copy, from, to, device)
HILO_MESSAGE(Slice, from, to, index, device)
HILO_MESSAGE(Stack, parts, to, device)
HILO_EMPTY_MESSAGE(Free)
HILO_MESSAGE(RunPart, arguments, results)
HILO_MESSAGE(Execute, executable, parts, donated, device, seconds, is_observed)
HILO_MESSAGE(Cancel, call)
HILO_MESSAGE(Statistics, device)
HILO_EMPTY_MESSAGE(End)
HILO_MESSAGE(Units, executable)
HILO_MESSAGE(DeviceDescription, id, kind, memories)
HILO_MESSAGE(HelloReply, version, platform, release, devices, calls_in_flight)
HILO_MESSAGE(ProgramSignature, name, argument_shapes, argument_names, result_shape, replica_count, meets_others,
             run_seconds)
HILO_MESSAGE(ExecutableStatistics, kernel_count, kernels_compiled, evaluated_count, temporary_bytes, alias_bytes,
             constant_bytes, code_bytes, program_bytes, compile_milliseconds)
HILO_MESSAGE(PassEvent, kind, name, changed, milliseconds, code_bytes, module)
HILO_MESSAGE(CompileReply, signature, statistics, devices, events)
HILO_MESSAGE(BytesReply, bytes)

template <>
inline constexpr std::string_view kMessageName<StatisticsReply> = "StatisticsReply";
template <Maybe<StatisticsReply> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("live_buffers", 1, s.statistics.live_buffers);
  visit("live_bytes", 2, s.statistics.live_bytes);
}

HILO_MESSAGE(UnitDescription, number, kind, instructions, bytes, form)
HILO_MESSAGE(RunReply, units, rows, begins, durations, lanes, counts)
HILO_MESSAGE(UnitsReply, units)
HILO_EMPTY_MESSAGE(DoneReply)
HILO_MESSAGE(SessionReport, calls, buffers, live_bytes, executables, memory_bytes)
HILO_MESSAGE(SessionOverview, number, seconds, has_client, waiting, replies, report_seconds, report, message_bytes)
HILO_MESSAGE(Overview, release, seconds, sessions_begun, workers_lost, replies, connections, strangers, connections_cut,
             sessions, queued)

#undef HILO_MESSAGE
#undef HILO_EMPTY_MESSAGE
#undef HILO_MESSAGE_FIELD

// Field numbers of Request and Reply. The alternatives of the body have the numbers after these.
inline constexpr uint32_t kRequestId = 1, kRequestAcked = 2, kRequestReleases = 3;
inline constexpr uint32_t kReplyId = 1, kReplyCode = 2, kReplyMessage = 3;
inline constexpr uint32_t kFirstBody = 10;

}  // namespace hilo::rpc
