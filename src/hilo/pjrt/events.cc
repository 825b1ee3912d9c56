// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {

Status answer(PJRT_Event_Destroy_Args& args) { return Handles<PJRT_Event>::destroy(args.event); }

HILO_PJRT_GETTER(PJRT_Event_IsReady, event, args.is_ready = args.event->event.is_ready())

Status answer(PJRT_Event_Error_Args& args) {
  HILO_PJRT_WANTED(args, event);
  if (!args.event->event.is_ready())
    return failed_precondition("the event isn't ready; wanted one that is. Hint: PJRT_Event_Await");
  return args.event->event.await();
}

Status answer(PJRT_Event_Await_Args& args) {
  HILO_PJRT_WANTED(args, event);
  return args.event->event.await();
}

Status answer(PJRT_Event_OnReady_Args& args) {
  HILO_PJRT_WANTED(args, event);
  if (args.callback == nullptr) return invalid_argument("'callback' is null");
  args.event->event.on_ready([callback = args.callback, user_arg = args.user_arg](const Status& status) {
    callback(new_error(status), user_arg);
  });
  return ok_status();
}

Status answer(PJRT_Event_Create_Args& args) {
  auto source = std::make_unique<EventSource>();
  Event event = source->event();
  args.event = Handles<PJRT_Event>::make(std::move(event), std::move(source));
  return ok_status();
}

Status answer(PJRT_Event_Set_Args& args) {
  HILO_PJRT_WANTED(args, event);
  const std::scoped_lock lock(args.event->mutex);
  if (args.event->source == nullptr)
    return failed_precondition("the event is already set, or was not created by PJRT_Event_Create");
  args.event->source->finish(status_from(args.error_code, args.error_message, args.error_message_size));
  args.event->source.reset();
  return ok_status();
}

}  // namespace hilo::pjrt
