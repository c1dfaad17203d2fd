// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdarg>
#include <sstream>

#include "compat/c/objects.hpp"

using namespace fuseq::compat;

namespace {

// `count` strings: name, value, name, value, ...
fuseq::AnyMap properties_of(size_t count, std::va_list& list) {
    need(count % 2 == 0);
    fuseq::AnyMap properties;
    for (size_t i = 0; i < count; i += 2) {
        const char* name = va_arg(list, const char*);
        const char* value = va_arg(list, const char*);
        need_all(name, value);
        properties[name] = value;
    }
    return properties;
}

// Devices and properties of a Core are shared by its copies.
fuseq::Core core_of(const ov_core_t* core) {
    need_all(core);
    return core->core;
}

ov_version_t to_c(const fuseq::Version& version) {
    return {copy_of(version.build_number), copy_of(version.description)};
}

}  // namespace

ov_status_e ov_get_openvino_version(ov_version_t* version) {
    return guarded([&] {
        need_all(version);
        *version = to_c(fuseq::get_version());
    });
}
void ov_version_free(ov_version_t* version) {
    if (version != nullptr) {
        ov_free(version->buildNumber);
        ov_free(version->description);
        *version = {nullptr, nullptr};
    }
}

ov_status_e ov_core_create(ov_core_t** core) {
    return ov_core_create_with_config("", core);
}
ov_status_e ov_core_create_with_config(const char* xml_config_file, ov_core_t** core) {
    return guarded([&] {
        need_all(core, xml_config_file);
        *core = new ov_core{fuseq::Core(xml_config_file)};
    });
}
void ov_core_free(ov_core_t* core) {
    delete core;
}
ov_status_e ov_core_read_model(const ov_core_t* core,
                               const char* model_path,
                               const char* bin_path,
                               ov_model_t** model) {
    return guarded([&] {
        need_all(model_path, model);
        *model =
            new ov_model{core_of(core).read_model(model_path, bin_path == nullptr ? "" : bin_path)};
    });
}
ov_status_e ov_core_read_model_from_memory_buffer(const ov_core_t* core,
                                                  const char* model_str,
                                                  const size_t str_len,
                                                  const ov_tensor_t* weights,
                                                  ov_model_t** model) {
    return guarded([&] {
        need_all(model_str, model);
        *model = new ov_model{
            core_of(core).read_model(std::string(model_str, str_len),
                                     weights == nullptr ? fuseq::Tensor() : weights->tensor)};
    });
}
ov_status_e ov_core_compile_model(const ov_core_t* core,
                                  const ov_model_t* model,
                                  const char* device_name,
                                  const size_t property_args_size,
                                  ov_compiled_model_t** compiled_model,
                                  ...) {
    std::va_list list;
    va_start(list, compiled_model);
    const ov_status_e status = guarded([&] {
        need_all(model, compiled_model);
        *compiled_model = new ov_compiled_model{core_of(core).compile_model(
            model->model, device_of(device_name), properties_of(property_args_size, list))};
    });
    va_end(list);
    return status;
}
ov_status_e ov_core_compile_model_from_file(const ov_core_t* core,
                                            const char* model_path,
                                            const char* device_name,
                                            const size_t property_args_size,
                                            ov_compiled_model_t** compiled_model,
                                            ...) {
    std::va_list list;
    va_start(list, compiled_model);
    const ov_status_e status = guarded([&] {
        need_all(model_path, compiled_model);
        *compiled_model = new ov_compiled_model{
            core_of(core).compile_model(std::string(model_path), device_of(device_name),
                                        properties_of(property_args_size, list))};
    });
    va_end(list);
    return status;
}
ov_status_e ov_core_set_property(const ov_core_t* core, const char* device_name, ...) {
    std::va_list list;
    va_start(list, device_name);
    const ov_status_e status = guarded(
        [&] { core_of(core).set_property(device_of(device_name), properties_of(2, list)); });
    va_end(list);
    return status;
}
ov_status_e ov_core_get_property(const ov_core_t* core,
                                 const char* device_name,
                                 const char* property_key,
                                 char** property_value) {
    return guarded([&] {
        need_all(property_key, property_value);
        *property_value =
            copy_of(core_of(core).get_property(device_of(device_name), property_key).as_string());
    });
}
ov_status_e ov_core_get_available_devices(const ov_core_t* core, ov_available_devices_t* devices) {
    return guarded([&] {
        need_all(devices);
        const std::vector<std::string> names = core_of(core).get_available_devices();
        devices->devices = new char*[names.size() + 1];
        devices->size = names.size();
        std::transform(names.begin(), names.end(), devices->devices, copy_of);
    });
}
void ov_available_devices_free(ov_available_devices_t* devices) {
    if (devices != nullptr) {
        std::for_each(devices->devices, devices->devices + devices->size, ov_free);
        delete[] devices->devices;
        *devices = {nullptr, 0};
    }
}
ov_status_e ov_core_import_model(const ov_core_t* core,
                                 const char* content,
                                 const size_t content_size,
                                 const char* device_name,
                                 ov_compiled_model_t** compiled_model) {
    return guarded([&] {
        need_all(content, compiled_model);
        std::istringstream in(std::string(content, content_size));
        *compiled_model =
            new ov_compiled_model{core_of(core).import_model(in, device_of(device_name))};
    });
}
ov_status_e ov_core_get_versions_by_device_name(const ov_core_t* core,
                                                const char* device_name,
                                                ov_core_version_list_t* versions) {
    return guarded([&] {
        need_all(versions);
        const auto known = core_of(core).get_versions(device_of(device_name));
        versions->versions = new ov_core_version_t[known.size() + 1];
        versions->size = 0;
        for (const auto& [device, version] : known) {
            versions->versions[versions->size++] = {copy_of(device), to_c(version)};
        }
    });
}
void ov_core_versions_free(ov_core_version_list_t* versions) {
    if (versions != nullptr) {
        for (size_t i = 0; i < versions->size; ++i) {
            ov_free(versions->versions[i].device_name);
            ov_version_free(&versions->versions[i].version);
        }
        delete[] versions->versions;
        *versions = {nullptr, 0};
    }
}
