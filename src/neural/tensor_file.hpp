// SPDX-License-Identifier: BSD-2-Clause
// Files of named arrays in the safetensors format: eight bytes with the length of a header, the
// header in JSON, then the numbers.
//
// Bounded    the file is not trusted: its size, the header and the number of arrays have limits,
//            every array has to lie inside the file and to be as long as its shape says, and
//            nothing is allocated for a size before that is known.
// Accepted   32-bit floats, little-endian and finite; text metadata. Of JSON only what the format
//            has: objects, strings, arrays of whole numbers. Escapes in strings are refused.
// Errors     InvalidInput whose field is the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactum {

/// One array: sizes along its axes, and the numbers row by row.
struct FileTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Arrays and metadata of a file, by name.
struct TensorFile {
  std::map<std::string, FileTensor, std::less<>> tensors;
  std::map<std::string, std::string, std::less<>> metadata;
};

inline constexpr std::size_t kLargestTensorFile = std::size_t{64} << 20;  // bytes

/// Reads a file that is in memory; `name` stands for it in messages. Throws InvalidInput.
TensorFile parse_tensor_file(std::string_view bytes, const std::string& name);

}  // namespace tactum
