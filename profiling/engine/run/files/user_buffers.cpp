// profiling/engine/run/files/user_buffers.cpp: the buffers of a person's launches in emulated
// memory.
#include "profiling/engine/run/files/user_buffers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "scenes/base/npy_array.h"
#include "scenes/folder/expression.h"
#include "scenes/host/input_file.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostFileBytes = 8LL << 30;
constexpr std::uint32_t kSeed = 0x57A9;

// The elements of a file, and its type and count where the words leave them out.
Result<HostArray> from_file(UserArgument& argument) {
  Result<std::string> bytes = read_input(argument.file, kMostFileBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  if (argument.file.ends_with(".npy")) {
    Result<NpyArray> npy = parse_npy_array(*bytes, argument.file);
    if (!npy) return tl::unexpected(npy.error());
    if (!argument.type_given) argument.type = npy->type;
    if (element_bytes(argument.type) != element_bytes(npy->type))
      return failure(
          ErrorKind::input,
          std::string("its elements are ") + to_text(npy->type) + ", not " + to_text(argument.type),
          argument.file, "leave the type out, or save the array with this type");
    *bytes = std::move(npy->bytes);
  }
  const std::int64_t size = element_bytes(argument.type);
  const auto there = static_cast<std::int64_t>(bytes->size());
  if (argument.count < 0) argument.count = there / size;
  if (argument.count * size > there || (argument.count < 0 && there % size != 0))
    return failure(ErrorKind::input,
                   "it has " + std::to_string(there / size) + " elements of type " +
                       to_text(argument.type) + ", and " + std::to_string(argument.count) +
                       " are asked for",
                   argument.file, "give the number of elements that the file has");
  HostArray array(argument.type, argument.count);
  std::memcpy(array.bytes().data(), bytes->data(), static_cast<std::size_t>(argument.count * size));
  return array;
}

}  // namespace

Result<HostArray> elements_of(UserArgument& argument, std::uint64_t stream) {
  if (!argument.file.empty()) return from_file(argument);
  if (argument.fill.starts_with('=')) {
    Result<Expression> parsed =
        Expression::parse(argument.fill.substr(1), {}, Expression::Use::element);
    if (!parsed) return tl::unexpected(parsed.error());
    auto expression = std::make_shared<const Expression>(std::move(*parsed));
    return HostArray::by_page(
        argument.type, argument.count,
        [expression, stream, type = argument.type](std::int64_t first, std::span<std::byte> bytes) {
          std::vector<double> values(bytes.size() / static_cast<std::size_t>(element_bytes(type)));
          expression->elements([](const std::string&) { return 0.0; }, kSeed + stream, first,
                               values);
          store_elements(type, values, bytes);
        });
  }
  return HostArray::by_page(argument.type, argument.count,
                            [argument, stream](std::int64_t first, std::span<std::byte> bytes) {
                              fill_elements(argument,
                                            RandomStream(kSeed, static_cast<std::uint32_t>(stream)),
                                            first, bytes);
                            });
}

Result<std::uint64_t> UserBuffers::add(const std::string& name, UserArgument argument,
                                       std::uint64_t stream) {
  Result<HostArray> array = elements_of(argument, stream);
  if (!array) return tl::unexpected(array.error());
  arrays_.push_back(std::move(*array));
  placed_.push_back({name, &arrays_.back(), 0, argument.is_unsigned});
  placed_.back().address = memory_.add({name, name, argument.type, {argument.count}},
                                       arrays_.back(), argument.fill != "unset");
  return placed_.back().address;
}

Result<void> UserBuffers::declare(const std::string& name, const std::string& words) {
  constexpr std::uint64_t kStream = 1 << 16;  // apart from those of arguments
  const Result<UserArgument> argument = parse_user_argument(words);
  if (!argument) return tl::unexpected(argument.error());
  if (!argument->buffer)
    return failure(ErrorKind::usage, "“" + words + "” is not a buffer", name,
                   "write TYPE[COUNT]:FILL, such as f32[1024]:random");
  return add(name, *argument, kStream + declared_++).map([](std::uint64_t) {});
}

Result<ArgumentBytes> UserBuffers::place(const UserArgument& argument, std::int64_t bytes) {
  if (argument.kind == UserArgument::Kind::unknown) {
    ++arguments_;
    return ArgumentBytes{std::vector<std::byte>(static_cast<std::size_t>(bytes))};
  }
  const std::string name = "argument " + std::to_string(arguments_);
  int members = 0;
  Result<void> good;
  const LaidOut all = laid_out(argument, [&](const UserArgument& buffer) -> std::uint64_t {
    if (buffer.kind == UserArgument::Kind::reference) {
      const Placed* there = find(buffer.name);
      if (there != nullptr) return there->address + static_cast<std::uint64_t>(buffer.offset_bytes);
      good = failure(ErrorKind::usage, "there is no buffer “" + buffer.name + "”", name,
                     "name one of these: " + names());
      return 0;
    }
    const bool alone = argument.kind == UserArgument::Kind::element;
    const std::uint64_t stream =
        arguments_ + (alone ? 0 : 1000 * static_cast<std::uint64_t>(++members));
    const Result<std::uint64_t> address =
        add(alone ? name : name + " buffer " + std::to_string(members - 1), buffer, stream);
    if (address) return *address;
    good = tl::unexpected(address.error());
    return 0;
  });
  ++arguments_;
  if (!good) return tl::unexpected(good.error());
  return ArgumentBytes{all.bytes};
}

const UserBuffers::Placed* UserBuffers::find(const std::string& name) const {
  const auto found = std::find_if(placed_.begin(), placed_.end(),
                                  [&](const Placed& placed) { return placed.name == name; });
  return found == placed_.end() ? nullptr : &*found;
}

std::string UserBuffers::names() const {
  std::string all;
  for (const Placed& placed : placed_) all += (all.empty() ? "" : ", ") + placed.name;
  return all;
}

void UserBuffers::mark_written(const std::vector<UserArgument>& arguments) {
  for (const UserArgument& argument : arguments) {
    if (argument.kind == UserArgument::Kind::reference) {
      if (const Placed* placed = find(argument.name))
        memory_.set_initialised(placed->address, true);
    }
    mark_written(argument.members);
  }
}

}  // namespace warpscope
