// profiling/capture/tensor_map.cpp: tensor maps of a captured launch as arguments of a scene.
#include "profiling/capture/tensor_map.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "scenes/base/step.h"

namespace warpscope {
namespace {

// As CUtensorMapDataType counts them. Those of no element type: u64 and numbers that are changed
// while they are copied (f32 whose subnormals become zeros, tf32, packed numbers of 4 and 6 bits).
// source: cuda.h.
struct TypeRow {
  const char* name;
  std::optional<ElementType> type;
};
const TypeRow kTypes[] = {{"u8", ElementType::u8},
                          {"u16", ElementType::u16},
                          {"u32", ElementType::u32},
                          {"i32", ElementType::i32},
                          {"u64", std::nullopt},
                          {"i64", ElementType::i64},
                          {"f16", ElementType::f16},
                          {"f32", ElementType::f32},
                          {"f64", ElementType::f64},
                          {"bf16", ElementType::bf16},
                          {"f32 without subnormals", std::nullopt},
                          {"tf32", std::nullopt},
                          {"tf32 without subnormals", std::nullopt},
                          {"packed numbers of 4 bits", std::nullopt},
                          {"packed numbers of 4 bits", std::nullopt},
                          {"packed numbers of 6 bits", std::nullopt}};
// As CUtensorMapSwizzle and CUtensorMapL2promotion count them.
constexpr TensorSwizzle kSwizzles[] = {TensorSwizzle::none, TensorSwizzle::bytes_32,
                                       TensorSwizzle::bytes_64, TensorSwizzle::bytes_128};
constexpr std::int64_t kFetched[] = {0, 64, 128, 256};

template <typename T, std::size_t kCount>
const T* row_at(const T (&rows)[kCount], int number) {
  return number >= 0 && static_cast<std::size_t>(number) < kCount ? &rows[number] : nullptr;
}

tl::unexpected<Error> refused(const std::string& why) { return failure(ErrorKind::input, why); }

template <typename T>
std::vector<std::int64_t> signed_numbers(const std::vector<T>& from) {
  std::vector<std::int64_t> numbers;
  for (const T number : from) numbers.push_back(static_cast<std::int64_t>(number));
  return numbers;
}

Result<TensorMapArgument> argument_of(const CapturedTensorMap& map) {
  TensorMapArgument argument;
  if (!map.lower.empty() || map.box.empty()) return refused("it copies columns of images (im2col)");
  const TypeRow* type = row_at(kTypes, map.type);
  if (type == nullptr || !type->type)
    return refused(std::string("its elements are ") +
                   (type == nullptr ? "of an unknown type" : type->name));
  const TensorSwizzle* swizzle = row_at(kSwizzles, map.swizzle);
  const std::int64_t* fetched = row_at(kFetched, map.l2_promotion);
  if (swizzle == nullptr || fetched == nullptr) return refused("its swizzle is another one");
  if (map.interleave != 0) return refused("its layout is interleaved");
  if (map.fill != 0) return refused("it fills with NaN");
  // The first number does not count. source: CUDA driver API, cuTensorMapEncodeTiled.
  const auto strided = [](std::uint32_t step) { return step != 1; };
  if (map.steps.empty() || std::any_of(map.steps.begin() + 1, map.steps.end(), strided))
    return refused("it leaves elements out");
  argument.type = *type->type;
  argument.swizzle = *swizzle;
  argument.fetched_bytes = *fetched;
  argument.extents = signed_numbers(map.extents);
  argument.strides_bytes = signed_numbers(map.strides);
  argument.box = signed_numbers(map.box);
  return argument;
}

std::string list_words(const std::vector<std::int64_t>& numbers) {
  std::string words;
  for (const std::int64_t number : numbers)
    words += (words.empty() ? "" : ",") + std::to_string(number);
  return "(" + words + ")";
}

}  // namespace

Result<std::string> tensor_map_words(const CapturedTensorMap& map, const Capture& capture,
                                     const std::vector<std::string>& buffers) {
  Result<TensorMapArgument> argument = argument_of(map);
  if (!argument) return tl::unexpected(argument.error());
  const auto memory =
      std::find_if(capture.memory.begin(), capture.memory.end(), [&map](const CapturedMemory& m) {
        return m.kind != CapturedMemory::Kind::variable && map.address >= m.address &&
               map.address - m.address < m.bytes;
      });
  if (memory == capture.memory.end()) return refused("its tensor was not saved");
  argument->buffer = buffers[static_cast<std::size_t>(memory - capture.memory.begin())];
  argument->offset_bytes = static_cast<std::int64_t>(map.address - memory->address);
  const auto bytes = static_cast<std::int64_t>(memory->bytes);
  if (Result<void> legal = tensor_map_is_legal(*argument, bytes); !legal)
    return refused(legal.error().what);
  std::string words = "map:{" + argument->buffer;
  if (argument->offset_bytes > 0) words += "+" + std::to_string(argument->offset_bytes);
  words += std::string(",") + to_text(argument->type) + "," + list_words(argument->extents) + "," +
           list_words(argument->strides_bytes) + "," + list_words(argument->box);
  if (argument->swizzle != TensorSwizzle::none)
    words += ",swizzle:" + std::to_string(row_bytes(argument->swizzle));
  if (argument->fetched_bytes != 256) words += ",fetch:" + std::to_string(argument->fetched_bytes);
  return words + "}";
}

}  // namespace warpscope
