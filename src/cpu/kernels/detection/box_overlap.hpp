// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a box overlaps one of those that were kept: what the suppression of detections spends its
// time on. The same values as overlap() of ops/detection_boxes.hpp (f32) and of
// ops/detection/boxes.hpp (f64), many boxes at a time.
#pragma once

#include <cstddef>
#include <vector>

namespace fuseq::kernels {

// Boxes by columns, with their areas.
template <class T>
class BoxColumns {
public:
    struct Box {
        T x1, y1, x2, y2, area;
    };

    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    void push_back(const Box& box) {
        if (size_ == room_) {
            grow();
        }
        const T values[] = {box.x1, box.y1, box.x2, box.y2, box.area};
        for (std::size_t c = 0; c < kColumns; ++c) {
            data_[c * room_ + size_] = values[c];
        }
        ++size_;
    }
    // Whole vectors may be read; what stands after the last box is of no use.
    const T* column(std::size_t c) const { return data_.data() + c * room_; }

private:
    static constexpr std::size_t kColumns = 5;
    void grow() {
        const std::size_t room = room_ == 0 ? kFirstRoom : 2 * room_;
        std::vector<T> data(kColumns * room + kAfter);
        for (std::size_t c = 0; c < kColumns; ++c) {
            for (std::size_t i = 0; i < size_; ++i) {
                data[c * room + i] = data_[c * room_ + i];
            }
        }
        data_.swap(data);
        room_ = room;
    }
    static constexpr std::size_t kFirstRoom = 64;
    static constexpr std::size_t kAfter = 16;  // at least a vector

    std::size_t size_ = 0;
    std::size_t room_ = 0;
    std::vector<T> data_;
};

// Intersection over union of `box` with one of the kept boxes is above the threshold. f32: 0 where
// boxes or areas are empty.
bool overlaps_any(const BoxColumns<float>& kept,
                  const BoxColumns<float>::Box& box,
                  float threshold);

// f64: `extra` is what a side counts beyond the difference of its ends.
bool overlaps_any(const BoxColumns<double>& kept,
                  const BoxColumns<double>::Box& box,
                  double extra,
                  double threshold);

// Intersection over union with each of the kept boxes from `first` on. `to`: room for a multiple of
// 16, its first element is that of box `first`.
void overlaps(const BoxColumns<double>& kept,
              const BoxColumns<double>::Box& box,
              double extra,
              std::size_t first,
              double* to);

}  // namespace fuseq::kernels
