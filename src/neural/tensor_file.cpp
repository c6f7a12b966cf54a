// SPDX-License-Identifier: BSD-2-Clause
#include "neural/tensor_file.hpp"

#include <bit>
#include <charconv>
#include <utility>

#include "core/quote_text.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 20;  // bytes
constexpr std::size_t kMostTensors = 1000;
constexpr std::size_t kMostAxes = 5;
constexpr std::string_view kRemedy = "give a safetensors file of 32-bit floats";

/// The part of JSON that headers consist of, read from left to right.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidInput(name_, what + " at byte " + std::to_string(8 + at_), std::string(kRemedy));
  }

  /// Whether the next sign is this one; takes it.
  bool take(char sign) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  void expect(char sign) {
    if (!take(sign)) refuse(std::string("no '") + sign + "'");
  }

  std::string string() {
    expect('"');
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' || static_cast<unsigned char>(text_[at_]) < 0x20)
        refuse("an escape or a control character");
      ++at_;
    }
    const std::string_view found = text_.substr(first, at_ - first);
    expect('"');
    if (!is_utf8(found)) refuse("text that is not UTF-8");
    return std::string(found);
  }

  std::int64_t integer() {
    skip_space();
    std::int64_t value = -1;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) refuse("no whole number from 0");
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> found;
    expect('[');
    if (take(']')) return found;
    do {
      if (found.size() == kMostAxes) refuse("an array of more than five axes");
      found.push_back(integer());
    } while (take(','));
    expect(']');
    return found;
  }

  void end() {
    skip_space();
    if (at_ != text_.size()) refuse("text behind the header");
  }

 private:
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Entry {
  std::string dtype;
  std::vector<std::int64_t> shape, offsets;
};

Entry read_entry(HeaderReader& reader) {
  Entry entry;
  reader.expect('{');
  do {
    const std::string key = reader.string();
    reader.expect(':');
    if (key == "dtype") {
      entry.dtype = reader.string();
    } else if (key == "shape") {
      entry.shape = reader.integers();
    } else if (key == "data_offsets") {
      entry.offsets = reader.integers();
    } else {
      reader.refuse("the key " + quoted_text(key));
    }
  } while (reader.take(','));
  reader.expect('}');
  return entry;
}

FileTensor read_tensor(const HeaderReader& reader, const Entry& entry, std::string_view body) {
  if (entry.dtype != "F32") reader.refuse("numbers of type " + quoted_text(entry.dtype));
  if (entry.offsets.size() != 2) reader.refuse("an array without two offsets");
  const auto first = static_cast<std::uint64_t>(entry.offsets[0]);
  const auto last = static_cast<std::uint64_t>(entry.offsets[1]);
  if (first > last || last > body.size()) reader.refuse("an array outside of the file");
  // sizes are compared by division, so that their product cannot overflow
  std::uint64_t left = (last - first) / 4;
  bool fits = (last - first) % 4 == 0, empty = false;
  for (const std::int64_t size : entry.shape) {
    if (size == 0) {
      empty = true;
    } else if (left % static_cast<std::uint64_t>(size) == 0) {
      left /= static_cast<std::uint64_t>(size);
    } else {
      fits = false;
    }
  }
  if (!fits || (empty ? first != last : left != 1)) reader.refuse("a shape that does not fit");
  FileTensor tensor{entry.shape, {}};
  tensor.values.reserve((last - first) / 4);
  for (std::uint64_t at = first; at < last; at += 4) {
    const auto bits = static_cast<std::uint32_t>(little_endian(body.substr(at, 4)));
    if ((bits & 0x7f80'0000U) == 0x7f80'0000U) reader.refuse("a number that is not finite");
    tensor.values.push_back(std::bit_cast<float>(bits));
  }
  return tensor;
}

void read_metadata(HeaderReader& reader, TensorFile& file) {
  reader.expect('{');
  if (reader.take('}')) return;
  do {
    std::string key = reader.string();
    reader.expect(':');
    file.metadata.insert_or_assign(std::move(key), reader.string());
  } while (reader.take(','));
  reader.expect('}');
}

}  // namespace

TensorFile parse_tensor_file(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 8 || bytes.size() > kLargestTensorFile)
    throw InvalidInput(name, std::to_string(bytes.size()) + " bytes", std::string(kRemedy));
  const std::uint64_t length = little_endian(bytes.substr(0, 8));
  if (length > kLongestHeader || length > bytes.size() - 8) {
    throw InvalidInput(name, "a header of " + std::to_string(length) + " bytes",
                       std::string(kRemedy));
  }
  const std::string_view body = bytes.substr(8 + length);
  HeaderReader reader(bytes.substr(8, length), name);
  TensorFile file;
  std::size_t values = 0;
  reader.expect('{');
  do {
    std::string key = reader.string();
    reader.expect(':');
    if (key == "__metadata__") {
      read_metadata(reader, file);
      continue;
    }
    if (file.tensors.size() == kMostTensors) reader.refuse("more than 1000 arrays");
    FileTensor tensor = read_tensor(reader, read_entry(reader), body);
    values += tensor.values.size();
    // arrays may not share bytes, or a small file could ask for much memory
    if (values > body.size() / 4) reader.refuse("arrays that overlap");
    if (!file.tensors.emplace(std::move(key), std::move(tensor)).second)
      reader.refuse("a name that occurs twice");
  } while (reader.take(','));
  reader.expect('}');
  reader.end();
  return file;
}

}  // namespace tactum
