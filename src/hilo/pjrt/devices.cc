// SPDX-License-Identifier: Apache-2.0
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/objects.h"

namespace hilo::pjrt {

HILO_PJRT_GETTER(PJRT_DeviceDescription_Id, device_description, args.id = args.device_description->id)
HILO_PJRT_GETTER(PJRT_DeviceDescription_ProcessIndex, device_description,
                 args.process_index = args.device_description->process_index)
HILO_PJRT_GETTER(PJRT_DeviceDescription_Attributes, device_description,
                 args.attributes = args.device_description->attributes.data(),
                 args.num_attributes = args.device_description->attributes.size())
HILO_PJRT_GETTER(PJRT_DeviceDescription_Kind, device_description,
                 args.device_kind = args.device_description->kind.data(),
                 args.device_kind_size = args.device_description->kind.size())
HILO_PJRT_GETTER(PJRT_DeviceDescription_DebugString, device_description,
                 args.debug_string = args.device_description->debug_text.data(),
                 args.debug_string_size = args.device_description->debug_text.size())
HILO_PJRT_GETTER(PJRT_DeviceDescription_ToString, device_description,
                 args.to_string = args.device_description->text.data(),
                 args.to_string_size = args.device_description->text.size())
HILO_PJRT_GETTER(PJRT_Device_GetDescription, device, args.device_description = &args.device->description)
HILO_PJRT_GETTER(PJRT_Device_IsAddressable, device, args.is_addressable = true)
HILO_PJRT_GETTER(PJRT_Device_LocalHardwareId, device, args.local_hardware_id = args.device->description.id)
HILO_PJRT_GETTER(PJRT_Device_AddressableMemories, device, args.memories = args.device->memories.data(),
                 args.num_memories = args.device->memories.size())
HILO_PJRT_GETTER(PJRT_Device_DefaultMemory, device, args.memory = args.device->memories[0])

Status answer(PJRT_Device_GetAttributes_Args& args) {  // devices have no attributes
  HILO_PJRT_WANTED(args, device);
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Memory_Id, memory, args.id = object(args.memory).id)

Status answer(PJRT_Memory_Kind_Args& args) {
  HILO_PJRT_WANTED(args, memory);
  const std::string_view kind = kMemoryKinds[object(args.memory).kind_id];
  args.kind = kind.data();
  args.kind_size = kind.size();
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Memory_Kind_Id, memory, args.kind_id = object(args.memory).kind_id)
HILO_PJRT_GETTER(PJRT_Memory_DebugString, memory, args.debug_string = object(args.memory).debug_text.data(),
                 args.debug_string_size = object(args.memory).debug_text.size())
HILO_PJRT_GETTER(PJRT_Memory_ToString, memory, args.to_string = object(args.memory).text.data(),
                 args.to_string_size = object(args.memory).text.size())
HILO_PJRT_GETTER(PJRT_Memory_AddressableByDevices, memory, args.devices = &object(args.memory).device,
                 args.num_devices = 1)

}  // namespace hilo::pjrt
