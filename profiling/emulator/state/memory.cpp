// profiling/emulator/state/memory.cpp: buffers at virtual addresses, with a bit for each
// initialised byte.
#include "profiling/emulator/state/memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/ptx/symbol_name.h"
#include "profiling/emulator/state/bit_words.h"
#include "scenes/base/step_buffers.h"

namespace warpscope {
namespace {

// An index of 32 bits reaches 2^35 bytes in elements of 8 bytes. With this gap such an access is
// still nearest to its own buffer.
constexpr std::uint64_t kLeastGap = 1ull << 36;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// As wide as the buffer, so that twice too large an index still meets nothing.
std::uint64_t gap_after(std::int64_t bytes) {
  return std::max(kLeastGap, static_cast<std::uint64_t>(bytes));
}

// PTX has arrays as bytes; `bytes`: what the source says of an element, 0: nothing.
ElementType element_type(const PtxVariable& v, std::int64_t bytes) {
  if (bytes != 2 && bytes != 4 && bytes != 8) bytes = v.element_bytes;
  return bytes == 1   ? ElementType::u8
         : bytes == 2 ? ElementType::u16
         : bytes == 8 ? ElementType::i64
                      : ElementType::u32;
}

// Marks nothing of a buffer initialised.
void set_empty(MemoryBuffer& buffer) {
  buffer.all_initialised = false;
  buffer.plain = false;
  // Zeros that take no memory until bits are set.
  buffer.initialised.reset(static_cast<std::uint64_t*>(std::calloc(
      static_cast<std::size_t>(buffer.bytes) / kBitsOfWord + 1, sizeof(std::uint64_t))));
  if (buffer.initialised == nullptr) throw std::bad_alloc();
}

}  // namespace

void MemoryBuffer::prepare(std::uint64_t offset, std::uint64_t width) {
  if (pages == nullptr) return;
  pages->make(static_cast<std::int64_t>(offset), static_cast<std::int64_t>(width));
  if (all_initialised.load(std::memory_order_relaxed) && pages->whole())
    plain.store(true, std::memory_order_release);
}

bool MemoryBuffer::is_initialised(std::uint64_t offset, std::uint64_t width) const {
  return for_words(offset, width, [&](std::uint64_t word, std::uint64_t wanted) {
    const std::uint64_t there =
        std::atomic_ref<std::uint64_t>(initialised[word]).load(std::memory_order_relaxed);
    return (there & wanted) == wanted;
  });
}

// The bits are the buffer's own, though a pointer leads to them.
// NOLINTNEXTLINE(readability-make-member-function-const)
void MemoryBuffer::mark(std::uint64_t offset, std::uint64_t width) {
  for_words(offset, width, [&](std::uint64_t word, std::uint64_t wanted) {
    std::atomic_ref<std::uint64_t> there(initialised[word]);
    if (wanted == ~0ull) {
      there.store(wanted, std::memory_order_relaxed);
    } else if ((there.load(std::memory_order_relaxed) & wanted) != wanted) {
      there.fetch_or(wanted, std::memory_order_relaxed);
    }
    return true;
  });
}

MemoryBuffer& EmulatedMemory::State::add(Spec spec, std::byte* data, std::int64_t bytes) {
  auto buffer = std::make_unique<MemoryBuffer>();
  buffer->spec = std::move(spec);
  buffer->address = next;
  buffer->bytes = bytes;
  buffer->data = data;
  buffer->index = buffers.size();
  next = round_up(next + static_cast<std::uint64_t>(bytes) + gap_after(bytes), kBufferAlignment);
  buffers.push_back(std::move(buffer));
  return *buffers.back();
}

MemoryBuffer* EmulatedMemory::State::find(std::uint64_t address) const {
  auto after = std::upper_bound(
      buffers.begin(), buffers.end(), address,
      [](std::uint64_t at, const std::unique_ptr<MemoryBuffer>& b) { return at < b->address; });
  if (after == buffers.begin()) return nullptr;
  MemoryBuffer* buffer = std::prev(after)->get();
  return buffer->holds(address, 1) ? buffer : nullptr;
}

const MemoryBuffer* EmulatedMemory::State::nearest(std::uint64_t address) const {
  const MemoryBuffer* best = nullptr;
  std::uint64_t best_distance = ~0ull;
  for (const auto& buffer : buffers) {
    const std::uint64_t end = buffer->address + static_cast<std::uint64_t>(buffer->bytes);
    const std::uint64_t distance =
        address < buffer->address ? buffer->address - address : address - end;
    if (distance < best_distance && distance <= gap_after(buffer->bytes)) {
      best = buffer.get();
      best_distance = distance;
    }
  }
  return best;
}

const EmulatedMemory::State::ModuleVariables& EmulatedMemory::State::place(
    const std::shared_ptr<const void>& owner, const PtxModule& module) {
  ModuleVariables& variables = modules[owner.get()];
  if (variables.module != nullptr) return variables;
  variables.module = owner;
  variables.addresses.assign(module.variables.size(), ~0ull);
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    const PtxVariable& v = module.variables[i];
    if (v.space != PtxSpace::global && v.space != PtxSpace::constant) continue;
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::max<std::int64_t>(v.bytes, 0)));
    std::copy(v.initial.begin(), v.initial.end(), bytes.begin());
    Spec spec;
    spec.name = spec.symbol = shown_name(v.name);
    const std::string_view shown = spec.symbol;
    const auto array = module.arrays.find(shown.substr(shown.rfind(':') + 1));
    const bool described = array != module.arrays.end();
    spec.type = element_type(v, described ? element_bytes(array->second, v.bytes) : 0);
    MemoryBuffer& buffer = add(spec, nullptr, v.bytes);
    buffer.own = std::move(bytes);
    buffer.internal = true;
    buffer.read_only = v.space == PtxSpace::constant;
    if (const auto before = kept.find(owner.get());
        before != kept.end() && before->second[i].size() == buffer.own.size())
      buffer.own = before->second[i];
    buffer.data = buffer.own.data();
    // A host fills constants that have no values in the source. In PTX zeros look the same.
    const bool has_values = described && array->second.has_values;
    if (buffer.read_only && !has_values && v.initial.empty() && v.addresses.empty() &&
        v.bytes > 0 && !filled_constants[owner.get()].contains(i)) {
      set_empty(buffer);
    }
    variables.addresses[i] = buffer.address;
  }
  // Variables that hold addresses of others. If several have one name, the last in memory.
  std::unordered_map<std::string_view, std::size_t> named;
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (variables.addresses[i] != ~0ull) named[module.variables[i].name] = i;
  }
  for (std::size_t i = 0; i < module.variables.size(); ++i) {
    if (variables.addresses[i] == ~0ull) continue;
    MemoryBuffer* buffer = find(variables.addresses[i]);
    for (const PtxVariable::Address& a : module.variables[i].addresses) {
      const auto target = named.find(a.name);
      if (buffer == nullptr || a.offset + 8 > buffer->bytes) continue;
      const std::uint64_t base = target != named.end() ? variables.addresses[target->second]
                                                       : function_address(module, a.name);
      if (base == 0) continue;
      const std::uint64_t value = base + static_cast<std::uint64_t>(a.addend);
      std::memcpy(buffer->data + a.offset, &value, sizeof value);
    }
  }
  return variables;
}

std::uint64_t EmulatedMemory::State::workspace() {
  // source: cooperative_groups/details/driver_abi.h of CUDA 13.0: a size, then the barrier's word.
  constexpr std::size_t kWorkspaceBytes = 256;
  if (workspace_address != 0) return workspace_address;
  Spec spec;
  spec.name = spec.symbol = "grid workspace";
  spec.type = ElementType::u32;
  MemoryBuffer& buffer = add(spec, nullptr, kWorkspaceBytes);
  buffer.own.resize(kWorkspaceBytes);
  buffer.data = buffer.own.data();
  buffer.internal = true;
  return workspace_address = buffer.address;
}

void EmulatedMemory::State::make_heap() {
  // source: CUDA C++ Programming Guide, "Dynamic Global Memory Allocation": the default.
  constexpr std::int64_t kHeapBytes = 8 << 20;
  if (heap_buffer != nullptr) return;
  Spec spec;
  spec.name = spec.symbol = "heap";
  spec.type = ElementType::u8;
  MemoryBuffer& buffer = add(spec, nullptr, kHeapBytes);
  buffer.own.resize(kHeapBytes);
  buffer.data = buffer.own.data();
  buffer.internal = true;
  heap_buffer = &buffer;
}

std::uint64_t EmulatedMemory::State::allocate(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 16;
  if (heap_buffer == nullptr || bytes == 0 ||
      bytes > static_cast<std::uint64_t>(heap_buffer->bytes))
    return 0;
  const std::uint64_t begin = heap_used.fetch_add(round_up(bytes, kAlignment));
  return begin + bytes <= static_cast<std::uint64_t>(heap_buffer->bytes)
             ? heap_buffer->address + begin
             : 0;
}

std::string element_name(const MemoryBuffer& buffer, std::int64_t offset, std::int64_t* index) {
  const std::int64_t size = element_bytes(buffer.spec.type);
  std::int64_t element = offset / size;
  if (offset % size != 0 && offset < 0) --element;
  if (index != nullptr) *index = element;
  const std::string& symbol = buffer.spec.symbol.empty() ? buffer.spec.name : buffer.spec.symbol;
  std::string text = symbol.substr(0, symbol.find('[')) + "[";
  const std::vector<std::int64_t>& shape = buffer.spec.shape;
  std::int64_t inner = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) inner *= shape[d];
  if (shape.size() < 2 || inner <= 0 || element < 0) return text + std::to_string(element) + "]";
  std::int64_t rest = element;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(rest / inner);
    rest %= inner;
    if (d + 1 < shape.size()) inner /= shape[d + 1];
  }
  return text + "]";
}

EmulatedMemory::EmulatedMemory() : state_(std::make_unique<State>()) {}
EmulatedMemory::~EmulatedMemory() = default;
EmulatedMemory::EmulatedMemory(EmulatedMemory&&) noexcept = default;
EmulatedMemory& EmulatedMemory::operator=(EmulatedMemory&&) noexcept = default;

std::uint64_t EmulatedMemory::add(Spec spec, std::span<std::byte> bytes, bool initialised) {
  MemoryBuffer& buffer =
      state_->add(std::move(spec), bytes.data(), static_cast<std::int64_t>(bytes.size()));
  set_initialised(buffer.address, initialised);
  return buffer.address;
}

std::uint64_t EmulatedMemory::add(Spec spec, HostArray& array, bool initialised) {
  MemoryBuffer& buffer = state_->add(std::move(spec), array.data(), array.size_bytes());
  buffer.pages = array.pages();
  set_initialised(buffer.address, initialised);
  return buffer.address;
}

void EmulatedMemory::set_initialised(std::uint64_t address, bool initialised) {
  for (const auto& buffer : state_->buffers) {
    if (buffer->address != address) continue;
    buffer->all_initialised = initialised;
    buffer->plain = initialised && (buffer->pages == nullptr || buffer->pages->whole());
    buffer->initialised.reset();
    if (!initialised) set_empty(*buffer);
  }
}

EmulatedMemory::Unwritten EmulatedMemory::unwritten(std::uint64_t address,
                                                    std::int64_t element_bytes) const {
  Unwritten found;
  for (const auto& buffer : state_->buffers) {
    if (buffer->address != address || buffer->all_initialised) continue;
    const auto width = static_cast<std::uint64_t>(element_bytes);
    const std::int64_t count = static_cast<std::int64_t>(buffer->bytes) / element_bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      if (buffer->is_initialised(static_cast<std::uint64_t>(i) * width, width)) continue;
      if (found.count++ == 0) found.first = i;
    }
  }
  return found;
}

void EmulatedMemory::mark_initialised(std::uint64_t address, std::int64_t offset,
                                      std::int64_t bytes) {
  for (const auto& buffer : state_->buffers) {
    if (buffer->address != address || buffer->all_initialised || bytes <= 0) continue;
    buffer->mark(static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes));
  }
}

void EmulatedMemory::refuse_writes(std::uint64_t address) {
  for (const auto& buffer : state_->buffers) {
    if (buffer->address == address) buffer->read_only = true;
  }
}

void EmulatedMemory::keep_variables_of(const EmulatedMemory& earlier) {
  state_->filled_constants = earlier.state_->filled_constants;
  for (const auto& [module, variables] : earlier.state_->modules) {
    std::vector<std::vector<std::byte>>& bytes = state_->kept[module];
    for (const std::uint64_t address : variables.addresses) {
      const MemoryBuffer* buffer = address == ~0ull ? nullptr : earlier.state_->find(address);
      bytes.push_back(buffer == nullptr ? std::vector<std::byte>{} : buffer->own);
    }
  }
}

std::vector<TracedBuffer> EmulatedMemory::buffers() const {
  std::vector<TracedBuffer> list;
  for (const auto& b : state_->buffers) {
    if (b->internal) continue;
    list.push_back(
        {b->spec.name, b->spec.symbol, b->spec.type, b->spec.shape, b->address, b->bytes});
  }
  return list;
}

Result<void> EmulatedMemory::fill_constant(const Program& program, const std::string& symbol,
                                           std::span<const std::byte> bytes) {
  const PtxModule& module = program.parsed();
  const auto found =
      std::find_if(module.variables.begin(), module.variables.end(), [&](const PtxVariable& v) {
        const bool variable = v.space == PtxSpace::constant || v.space == PtxSpace::global;
        const std::string shown = variable ? shown_name(v.name) : "";
        return variable && (v.name == symbol || shown == symbol || shown.ends_with("::" + symbol));
      });
  if (found == module.variables.end()) {
    return failure(ErrorKind::usage, "the source has no array " + symbol, program.main_file(),
                   "declare it __constant__ or __device__, outside of any function");
  }
  const auto count = static_cast<std::int64_t>(bytes.size());
  if (Result<void> fits = fits_constant(symbol, found->bytes, count); !fits) return fits;
  const auto index = static_cast<std::size_t>(found - module.variables.begin());
  MemoryBuffer* buffer = state_->find(state_->place(program.identity(), module).addresses[index]);
  if (buffer == nullptr) return {};
  std::copy(bytes.begin(), bytes.end(), buffer->data);
  buffer->all_initialised = true;
  buffer->plain = true;
  if (found->space == PtxSpace::constant)
    state_->filled_constants[program.identity().get()].insert(index);
  return {};
}

Result<void> EmulatedMemory::fill_variable(const Program& program, const std::string& name,
                                           std::span<const std::byte> bytes) {
  const PtxModule& module = program.parsed();
  std::string known;
  for (std::size_t index = 0; index < module.variables.size(); ++index) {
    const PtxVariable& v = module.variables[index];
    if (v.space != PtxSpace::constant && v.space != PtxSpace::global) continue;
    const std::string shown = shown_name(v.name);
    if (v.name != name && shown != name && !shown.ends_with("::" + name)) {
      if (!shown.starts_with('$')) known += (known.empty() ? "" : ", ") + shown;
      continue;
    }
    const auto count = static_cast<std::int64_t>(bytes.size());
    if (count > v.bytes)
      return failure(ErrorKind::usage,
                     name + " has " + std::to_string(v.bytes) + " bytes, and " +
                         std::to_string(count) + " are given",
                     "--set " + name, "give as many elements as it has");
    MemoryBuffer* buffer = state_->find(state_->place(program.identity(), module).addresses[index]);
    if (buffer == nullptr) return {};
    std::copy(bytes.begin(), bytes.end(), buffer->data);
    buffer->all_initialised = true;
    buffer->plain = true;
    if (v.space == PtxSpace::constant)
      state_->filled_constants[program.identity().get()].insert(index);
    return {};
  }
  return failure(ErrorKind::usage,
                 known.empty() ? "the kernels use no __constant__ or __device__ variable"
                               : "there is no variable of this name; there are: " + known,
                 "--set " + name, "check the name");
}

}  // namespace warpscope
