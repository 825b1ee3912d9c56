// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {

Status answer(PJRT_DeviceDescription_Id_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.id = args.device_description->id;
  return ok_status();
}

Status answer(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.process_index = args.device_description->process_index;
  return ok_status();
}

Status answer(PJRT_DeviceDescription_Attributes_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return ok_status();
}

Status answer(PJRT_DeviceDescription_Kind_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.device_kind = args.device_description->kind.data();
  args.device_kind_size = args.device_description->kind.size();
  return ok_status();
}

Status answer(PJRT_DeviceDescription_DebugString_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.debug_string = args.device_description->debug_text.data();
  args.debug_string_size = args.device_description->debug_text.size();
  return ok_status();
}

Status answer(PJRT_DeviceDescription_ToString_Args& args) {
  HILO_PJRT_WANTED(args, device_description);
  args.to_string = args.device_description->text.data();
  args.to_string_size = args.device_description->text.size();
  return ok_status();
}

Status answer(PJRT_Device_GetDescription_Args& args) {
  HILO_PJRT_WANTED(args, device);
  args.device_description = &args.device->description;
  return ok_status();
}

Status answer(PJRT_Device_IsAddressable_Args& args) {
  HILO_PJRT_WANTED(args, device);
  args.is_addressable = true;
  return ok_status();
}

Status answer(PJRT_Device_LocalHardwareId_Args& args) {
  HILO_PJRT_WANTED(args, device);
  args.local_hardware_id = args.device->description.id;
  return ok_status();
}

Status answer(PJRT_Device_AddressableMemories_Args& args) {
  HILO_PJRT_WANTED(args, device);
  args.memories = args.device->memories.data();
  args.num_memories = args.device->memories.size();
  return ok_status();
}

Status answer(PJRT_Device_DefaultMemory_Args& args) {
  HILO_PJRT_WANTED(args, device);
  args.memory = args.device->memories[0];
  return ok_status();
}

Status answer(PJRT_Device_GetAttributes_Args& args) {  // there are none
  HILO_PJRT_WANTED(args, device);
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return ok_status();
}

Status answer(PJRT_Memory_Id_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  args.id = object(args.memory).id;
  return ok_status();
}

Status answer(PJRT_Memory_Kind_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  const std::string_view kind = kMemoryKinds[object(args.memory).kind_id];
  args.kind = kind.data();
  args.kind_size = kind.size();
  return ok_status();
}

Status answer(PJRT_Memory_Kind_Id_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  args.kind_id = object(args.memory).kind_id;
  return ok_status();
}

Status answer(PJRT_Memory_DebugString_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  args.debug_string = object(args.memory).debug_text.data();
  args.debug_string_size = object(args.memory).debug_text.size();
  return ok_status();
}

Status answer(PJRT_Memory_ToString_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  args.to_string = object(args.memory).text.data();
  args.to_string_size = object(args.memory).text.size();
  return ok_status();
}

Status answer(PJRT_Memory_AddressableByDevices_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  args.devices = &object(args.memory).device;
  args.num_devices = 1;
  return ok_status();
}

}  // namespace hilo::pjrt
