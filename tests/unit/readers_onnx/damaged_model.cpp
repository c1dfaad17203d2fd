// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/readers_onnx/damaged_model.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <onnx/onnx_pb.h>

#include <random>
#include <vector>

#include "support/damaged_bytes.hpp"
#include "support/odd_values.hpp"

namespace fuseq::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A field of a message that is set.
struct Place {
    Message* message;
    const FieldDescriptor* field;
};

void collect(Message* message, std::vector<Place>& places) {
    const Reflection* reflection = message->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
        places.push_back({message, field});
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
            continue;
        }
        if (!field->is_repeated()) {
            collect(reflection->MutableMessage(message, field), places);
            continue;
        }
        for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
            collect(reflection->MutableRepeatedMessage(message, field, i), places);
        }
    }
}

// Makes one mistake: places are collected anew for each, since a change may remove messages.
class Mistakes {
public:
    Mistakes(Message* root, std::uint64_t seed) : random_(seed) { collect(root, places_); }

    // False where there is nothing left to change.
    bool make_one() {
        if (places_.empty()) {
            return false;
        }
        const Place place = places_[random_() % places_.size()];
        if (place.field->is_repeated()) {
            change_list(place);
        } else if (random_() % 8 == 0) {
            place.message->GetReflection()->ClearField(place.message, place.field);
        } else {
            change_value(place);
        }
        return true;
    }

private:
    // A text that stands elsewhere in the file: another name, operator or attribute.
    std::string other_text(const std::string& text) {
        std::vector<std::string> texts;
        for (const Place& one : places_) {
            if (one.field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
                continue;
            }
            const Reflection* reflection = one.message->GetReflection();
            if (!one.field->is_repeated()) {
                texts.push_back(reflection->GetString(*one.message, one.field));
            } else if (reflection->FieldSize(*one.message, one.field) > 0) {
                texts.push_back(reflection->GetRepeatedString(*one.message, one.field, 0));
            }
        }
        switch (random_() % 3) {
            case 0: return damaged(text + "....", 0, random_());
            case 1: return text.substr(0, random_() % (text.size() + 1));
            default: return texts.empty() ? text : texts[random_() % texts.size()];
        }
    }

    void change_list(const Place& place) {
        const Reflection* reflection = place.message->GetReflection();
        const int size = reflection->FieldSize(*place.message, place.field);
        if (size == 0) {
            return;
        }
        const int at = static_cast<int>(random_() % static_cast<std::uint64_t>(size));
        switch (random_() % 4) {
            case 0:
                reflection->SwapElements(place.message, place.field, at, size - 1);
                reflection->RemoveLast(place.message, place.field);
                break;
            case 1:
                reflection->SwapElements(
                    place.message, place.field, at,
                    static_cast<int>(random_() % static_cast<std::uint64_t>(size)));
                break;
            case 2: add_copy(place, at); break;
            default: change_element(place, at); break;
        }
    }

    void add_copy(const Place& place, int at) {
        const Reflection* r = place.message->GetReflection();
        Message* message = place.message;
        const FieldDescriptor* field = place.field;
        switch (field->cpp_type()) {
            case FieldDescriptor::CPPTYPE_MESSAGE:
                r->AddMessage(message, field)->CopyFrom(r->GetRepeatedMessage(*message, field, at));
                break;
            case FieldDescriptor::CPPTYPE_STRING:
                r->AddString(message, field, r->GetRepeatedString(*message, field, at));
                break;
            case FieldDescriptor::CPPTYPE_INT64:
                r->AddInt64(message, field, odd_integer(random_));
                break;
            case FieldDescriptor::CPPTYPE_INT32:
                r->AddInt32(message, field, static_cast<std::int32_t>(odd_integer(random_)));
                break;
            case FieldDescriptor::CPPTYPE_FLOAT:
                r->AddFloat(message, field, odd_float(random_));
                break;
            default: break;
        }
    }

    void change_element(const Place& place, int at) {
        const Reflection* r = place.message->GetReflection();
        Message* message = place.message;
        const FieldDescriptor* field = place.field;
        switch (field->cpp_type()) {
            case FieldDescriptor::CPPTYPE_STRING:
                r->SetRepeatedString(message, field, at,
                                     other_text(r->GetRepeatedString(*message, field, at)));
                break;
            case FieldDescriptor::CPPTYPE_INT64:
                r->SetRepeatedInt64(message, field, at, odd_integer(random_));
                break;
            case FieldDescriptor::CPPTYPE_INT32:
                r->SetRepeatedInt32(message, field, at,
                                    static_cast<std::int32_t>(odd_integer(random_)));
                break;
            case FieldDescriptor::CPPTYPE_FLOAT:
                r->SetRepeatedFloat(message, field, at, odd_float(random_));
                break;
            default: break;
        }
    }

    void change_value(const Place& place) {
        const Reflection* r = place.message->GetReflection();
        Message* message = place.message;
        const FieldDescriptor* field = place.field;
        switch (field->cpp_type()) {
            case FieldDescriptor::CPPTYPE_STRING:
                r->SetString(message, field, other_text(r->GetString(*message, field)));
                break;
            case FieldDescriptor::CPPTYPE_INT64:
                r->SetInt64(message, field, odd_integer(random_));
                break;
            case FieldDescriptor::CPPTYPE_INT32:
                r->SetInt32(message, field, static_cast<std::int32_t>(random_() % 24));
                break;
            case FieldDescriptor::CPPTYPE_FLOAT:
                r->SetFloat(message, field, odd_float(random_));
                break;
            case FieldDescriptor::CPPTYPE_ENUM:
                r->SetEnumValue(message, field, static_cast<int>(random_() % 16));
                break;
            default: break;
        }
    }

    std::mt19937_64 random_;
    std::vector<Place> places_;
};

}  // namespace

std::string damaged_model(const std::string& bytes, std::uint64_t seed) {
    ::onnx::ModelProto proto;
    if (seed % 4 == 0 || !proto.ParseFromString(bytes)) {
        return damaged(bytes, 0, seed);
    }
    std::mt19937_64 random(seed);
    const std::uint64_t count = 1 + random() % 6;
    for (std::uint64_t i = 0; i < count && Mistakes(&proto, random()).make_one(); ++i) {
    }
    return proto.SerializeAsString();
}

}  // namespace fuseq::test
