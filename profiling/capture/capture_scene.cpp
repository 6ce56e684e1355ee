// profiling/capture/capture_scene.cpp: a capture as a scene with one variant, “as captured”.
#include "profiling/capture/capture_scene.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <span>

#include "profiling/binaries/library_code.h"
#include "profiling/capture/machine_code_text.h"
#include "profiling/capture/stored_addresses.h"
#include "profiling/capture/tensor_map.h"
#include "profiling/listings/kernel_name.h"
#include "profiling/text/hex.h"
#include "scenes/base/npy_array.h"
#include "scenes/base/plural.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/folder/form/description_edits.h"

namespace warpscope {
namespace {

using Side = CaptureFile::Side;
constexpr std::size_t kWord = 8;
// source: CUDA C++ Programming Guide, technical specifications: constant memory.
constexpr std::uint64_t kMostVariableBytes = 64 << 10;

// A comment in a TOML file: a stranger's text must not end it.
std::string in_one_line(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text;
}

std::string dim_text(const Dim3& d) {
  return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

// The buffers of a scene, one per memory.
std::vector<std::string> buffer_names(const Capture& capture) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    std::string name = "memory" + std::to_string(i + 1);
    const auto pointer = std::find_if(capture.pointers.begin(), capture.pointers.end(),
                                      [i](const auto& p) { return !p.in_memory && p.memory == i; });
    if (pointer != capture.pointers.end()) name = "arg" + std::to_string(pointer->holder + 1);
    if (capture.memory[i].kind == CapturedMemory::Kind::variable)
      name = "variable" + std::to_string(i + 1);
    while (!taken.insert(name).second) name += "_" + std::to_string(i + 1);
    names.push_back(std::move(name));
  }
  return names;
}

// Bytes of a parameter that a description names in other words.
struct NamedPart {
  std::size_t at = 0, bytes = 0;
  std::string words;
};

// The tensor maps and addresses in a parameter, in order.
std::vector<NamedPart> parts_of(const Capture& capture, std::size_t parameter,
                                const std::vector<std::string>& names, std::string& notes) {
  const CapturedParameter& p = capture.parameters[parameter];
  std::vector<NamedPart> parts;
  for (const CapturedTensorMap& map : capture.tensor_maps) {
    if (map.parameter != parameter) continue;
    const bool aligned =
        map.at % kTensorMapAlignment == 0 && p.bytes.size() % kTensorMapAlignment == 0;
    const Result<std::string> words =
        aligned ? tensor_map_words(map, capture, names)
                : Result<std::string>(failure(ErrorKind::input, "it is not aligned to 64 bytes"));
    if (words)
      parts.push_back({map.at, kTensorMapBytes, *words});
    else
      notes += "# a tensor map in argument " + std::to_string(parameter + 1) +
               " is replayed on a GPU, not emulated: " + words.error().what + "\n";
  }
  const std::size_t maps = parts.size();
  for (const CapturedPointer& pointer : capture.pointers) {
    if (pointer.in_memory || pointer.holder != parameter || pointer.at % kWord != 0) continue;
    const bool in_map =
        std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(maps),
                    [&](const NamedPart& map) { return pointer.at - map.at < map.bytes; });
    if (in_map) continue;
    parts.push_back(
        {pointer.at, kWord,
         names[pointer.memory] + (pointer.offset > 0 ? "+" + std::to_string(pointer.offset) : "")});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const NamedPart& a, const NamedPart& b) { return a.at < b.at; });
  return parts;
}

// A parameter in the words of a description; addresses in it are those of buffers.
std::string argument_words(const Capture& capture, std::size_t parameter,
                           const std::vector<std::string>& names, std::string& notes) {
  const CapturedParameter& p = capture.parameters[parameter];
  const std::vector<NamedPart> parts = parts_of(capture, parameter, names, notes);
  // The members of a structure with addresses lie at multiples of a word: it is laid out so.
  const bool whole_words = p.bytes.size() % kWord == 0 && p.offset % kWord == 0;
  if (parts.empty() || !whole_words) return "bytes:0x" + hex_text(p.bytes);
  std::string words;
  std::size_t done = 0;
  for (const NamedPart& part : parts) {
    if (part.at < done) continue;
    if (part.at > done)
      words += (words.empty() ? "bytes:0x" : ",bytes:0x") +
               hex_text(std::string_view(p.bytes).substr(done, part.at - done));
    words += (words.empty() ? "" : ",") + part.words;
    done = part.at + part.bytes;
  }
  if (done < p.bytes.size())
    words += ",bytes:0x" + hex_text(std::string_view(p.bytes).substr(done));
  const bool alone = parts.size() == 1 && p.bytes.size() == parts[0].bytes;
  return alone ? words : "struct:{" + words + "}";
}

// The addresses in one content of a buffer, as an array beside it. Empty: there are none.
std::string address_part(const Capture& capture, std::size_t memory, const std::string& table,
                         std::string_view bytes, const std::vector<std::string>& names,
                         SceneText& scene) {
  const std::vector<std::int64_t> numbers =
      address_table(stored_addresses(capture, memory, bytes), names);
  if (numbers.empty()) return "";
  const auto count = static_cast<std::int64_t>(numbers.size());
  scene.data.push_back(
      {table + ".npy", npy_text(ElementType::i64, {count}, std::as_bytes(std::span(numbers)))});
  return table + " = { type = \"i64\", count = " + std::to_string(count) +
         ", role = \"input\", file = " + toml_text(table + ".npy") + " }\n";
}

// One memory as a buffer, its content and what it must be afterwards.
struct MemoryBuffer {
  std::string description, reference, note;
};

Result<MemoryBuffer> buffer_part(const CaptureFile& file, std::size_t i,
                                 const std::vector<std::string>& names,
                                 std::optional<ElementType> elements, SceneText& scene) {
  const std::string& name = names[i];
  const CapturedMemory& memory = file.capture().memory[i];
  const bool variable = memory.kind == CapturedMemory::Kind::variable;
  const bool words = memory.bytes % sizeof(std::uint32_t) == 0;
  ElementType type = words ? ElementType::u32 : ElementType::u8;
  // Memory that the launch left as it was too: it may have written there what was there before.
  if (elements && !variable &&
      memory.bytes % static_cast<std::uint64_t>(element_bytes(*elements)) == 0)
    type = *elements;
  const auto count =
      static_cast<std::int64_t>(memory.bytes) / static_cast<std::int64_t>(element_bytes(type));
  MemoryBuffer part;
  const auto add_addresses = [&](const std::string& buffer, std::string_view bytes) {
    part.description +=
        address_part(file.capture(), i, address_table_of(buffer), bytes, names, scene);
  };
  const auto add = [&](const std::string& path, Side side,
                       const std::string& buffer) -> Result<void> {
    const Result<std::string> bytes = file.memory(i, side);
    if (!bytes) return tl::unexpected(bytes.error());
    add_addresses(buffer, *bytes);
    if (side == Side::before && !variable && file.unchanged(i))
      add_addresses(name + ".expected", *bytes);
    const auto* data = reinterpret_cast<const std::byte*>(bytes->data());
    scene.data.push_back({path, npy_text(type, {count}, {data, bytes->size()})});
    return {};
  };
  const bool kept = file.kept(i, Side::before);
  part.description = name + " = { type = \"" + to_text(type) +
                     "\", count = " + std::to_string(count) + ", role = \"" +
                     (variable ? "input" : "state") + "\", " +
                     (kept ? "file = " + toml_text(name + ".npy") : "fill = \"random\"") + " }\n";
  if (!kept) return part;
  if (Result<void> added = add(name + ".npy", Side::before, name); !added)
    return tl::unexpected(added.error());
  if (!file.kept(i, Side::after)) return part;
  const bool same = file.unchanged(i);
  if (variable) {
    if (!same)
      part.note = "the launch changed the variable " + memory.name + ", which is not compared";
    return part;
  }
  if (!same) {
    if (Result<void> added = add(name + ".after.npy", Side::after, name + ".expected"); !added)
      return tl::unexpected(added.error());
  }
  part.reference = name + " = " + toml_text(name + (same ? ".npy" : ".after.npy")) + "\n";
  return part;
}

std::optional<ElementType> element_type_named(const std::string& name) {
  for (const ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64}) {
    if (name == to_text(type)) return type;
  }
  return std::nullopt;
}

// How far a result may be off that was added up in another order.
// source: PyTorch's torch.testing.assert_close, default tolerances.
CaptureElements with_tolerance(CaptureElements elements, ElementType type) {
  if (elements.relative != 0 || elements.absolute != 0) return elements;
  elements.absolute = 1e-5;
  switch (type) {
    case ElementType::f16:
      elements.relative = 1e-3;
      break;
    case ElementType::bf16:
      elements.relative = 1.6e-2;
      break;
    case ElementType::f64:
      elements.relative = elements.absolute = 1e-7;
      break;
    default:
      elements.relative = 1.3e-6;
  }
  return elements;
}

std::string number_words(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

// The texts of the kernel: PTX with the machine code that ran, or the machine code alone.
Result<std::string> add_sources(const CaptureFile& file, SceneText& scene) {
  Result<std::string> ptx = file.ptx(), code = file.code();
  Result<std::vector<CapturedSource>> sources = file.sources();
  if (!ptx) return ptx;
  if (!code) return code;
  if (!sources) return tl::unexpected(sources.error());
  if (ptx->empty() && code->empty())
    return failure(ErrorKind::input, "the capture has neither PTX nor machine code of its kernel",
                   file.path(), "capture the launch again");
  const std::string source = std::string(kCaptureSource) + (ptx->empty() ? "" : ".ptx");
  const std::string path = scene.name + "/" + source;
  MachineCode machine{std::move(*code), file.capture().compute_capability, ""};
  if (!ptx->empty()) {
    scene.sources.push_back(kernel_source(path, std::move(*ptx)));
    machine.of = scene.sources.back().hash;
  }
  if (!machine.cubin.empty())
    scene.sources.push_back(kernel_source(path + kMachineCodeSuffix, machine_code_text(machine)));
  for (CapturedSource& text : *sources)
    scene.sources.push_back(kernel_source(std::move(text.name), std::move(text.text)));
  return machine.of.empty() ? source + kMachineCodeSuffix : source;
}

std::string story_of(const Capture& c) {
  std::string program;
  for (const std::string& word : c.program) program += (program.empty() ? "" : " ") + word;
  std::string story = "Launch " + std::to_string(c.number) + " of this kernel";
  if (!program.empty()) story += " in `" + program + "`";
  if (!c.range.empty()) story += ", inside " + c.range;
  if (!c.device.empty()) story += ", captured on " + c.device;
  story += c.data ? "." : ", without its data: inputs are random, and nothing is checked.";
  if (closed_library_of_kernel(c.symbol))
    story += " The file contains NVIDIA library code: do not share it.";
  return story;
}

std::int64_t changed_bytes(const CaptureFile& file) {
  std::int64_t bytes = memory_bytes(file.capture());
  for (std::size_t i = 0; i < file.capture().memory.size(); ++i) {
    if (!file.unchanged(i)) bytes += static_cast<std::int64_t>(file.capture().memory[i].bytes);
  }
  return bytes;
}

// What can be varied while memory and arguments stay as the program had them: more dynamic shared
// memory leaves room for fewer blocks on a multiprocessor, and the result is the same.
constexpr const char* kSharedAxis = "shared_bytes";

std::string axes_of(const Capture& c, bool fixed_launch) {
  // source: what a block may have on GPUs of compute capability 8.6 and 8.9, rounded down; others
  // have more, 7.5 has 64 KiB.
  constexpr std::int64_t kMostSharedBytes = 96 << 10;
  const std::int64_t captured = c.launch.dynamic_shared_bytes;
  const std::string launch =
      "[axes.launch]\nkind = \"choice\"\nchoices = [" + toml_text(std::to_string(c.number)) +
      "]\nlabel = \"launch\"\ndescription = \"Which launch of the program it was.\"\n";
  if (fixed_launch) return launch;
  return launch + "[axes." + kSharedAxis + "]\nrange = [" + std::to_string(captured) + ", " +
         std::to_string(std::max(kMostSharedBytes, captured)) +
         "]\ndefault = " + std::to_string(captured) +
         "\nbinds = \"launch_shape\"\nof_variants = [\"as_captured\"]\nlabel = \"dynamic shared "
         "memory\"\nunit = \"B\"\ndescription = \"Per block. More than the program asked for "
         "leaves room for fewer blocks on a multiprocessor.\"\n";
}

std::string launch_words(const Capture& c, const std::string& source, bool fixed,
                         const std::vector<std::string>& names, std::string& notes) {
  std::string text =
      "source = " + toml_text(source) + "\nentry = " + toml_text(c.symbol) +
      "\ngrid = " + dim_text(c.launch.grid) + "\nblock = " + dim_text(c.launch.block) +
      "\nshared = " +
      (fixed ? std::to_string(c.launch.dynamic_shared_bytes) : toml_text(kSharedAxis)) + "\n";
  if (c.launch.cluster != Dim3{}) text += "cluster = " + dim_text(c.launch.cluster) + "\n";
  if (c.launch.cooperative) text += "cooperative = true\n";
  text += "arguments = [";
  for (std::size_t i = 0; i < c.parameters.size(); ++i)
    text += (i == 0 ? "" : ", ") + toml_text(argument_words(c, i, names, notes));
  text += "]\n";
  std::string constants;
  for (std::size_t i = 0; i < c.memory.size(); ++i) {
    const CapturedMemory& memory = c.memory[i];
    if (memory.kind != CapturedMemory::Kind::variable || memory.bytes > kMostVariableBytes)
      continue;
    constants +=
        (constants.empty() ? "" : ", ") + toml_text(memory.name) + " = " + toml_text(names[i]);
  }
  return constants.empty() ? text : text + "constants = { " + constants + " }\n";
}

}  // namespace

Result<SceneText> capture_scene(const std::string& path, const std::string& name,
                                const CaptureElements& wish) {
  const std::optional<ElementType> type = element_type_named(wish.type);
  if (!type && !wish.type.empty())
    return failure(ErrorKind::usage, "“" + wish.type + "” is not an element type", path,
                   "write f16, bf16, f32 or f64");
  const CaptureElements elements = type ? with_tolerance(wish, *type) : wish;
  const Result<CaptureFile> file = CaptureFile::open(path);
  if (!file) return tl::unexpected(file.error());
  const Capture& c = file->capture();
  if (c.data && changed_bytes(*file) > kMostSceneBytes)
    return failure(ErrorKind::resource,
                   "the launch reached " + std::to_string(memory_bytes(c) >> 20) +
                       " MiB of memory, and a scene takes 128 MiB before and after it together",
                   path, "capture a launch on smaller inputs, or use --no-data");
  SceneText scene;
  scene.name = name;
  scene.file = path;
  const Result<std::string> source = add_sources(*file, scene);
  if (!source) return tl::unexpected(source.error());
  const std::vector<std::string> names = buffer_names(c);
  std::string buffers, reference, notes;
  for (const std::string& note : c.notes) notes += "# " + in_one_line(note) + "\n";
  bool has_result = false;
  for (std::size_t i = 0; i < c.memory.size(); ++i) {
    const bool variable = c.memory[i].kind == CapturedMemory::Kind::variable;
    if (variable && c.memory[i].bytes > kMostVariableBytes) {
      notes += "# the variable " + in_one_line(c.memory[i].name) +
               " is too large to be set before the launch\n";
      continue;
    }
    const Result<MemoryBuffer> part = buffer_part(*file, i, names, type, scene);
    if (!part) return tl::unexpected(part.error());
    buffers += part->description;
    reference += part->reference;
    if (!part->note.empty()) notes += "# " + in_one_line(part->note) + "\n";
    has_result |= !variable;
  }
  if (!has_result)
    return failure(ErrorKind::input, "the launch has no argument that points to memory", path,
                   "capture a launch that writes a result");
  const std::string launch = launch_words(c, *source, wish.fixed_launch, names, notes);
  scene.description = "title = " + toml_text(kernel_name_of(c.symbol).name) +
                      "\nstory = " + toml_text(story_of(c)) + "\n" + notes +
                      axes_of(c, wish.fixed_launch) + "[buffers]\n" + buffers +
                      "[variants.as_captured]\nlabel = \"as captured\"\nsentence = " +
                      toml_text("The program's own launch of " + c.name + ".") + "\n" + launch;
  if (!reference.empty())
    scene.description +=
        "[reference]\nsentence = \"The program's own memory after the launch.\"\n"
        "[reference.files]\n" +
        reference + "[tolerance]\n" +
        (type ? "reference = " + number_words(elements.relative) +
                    "\nabsolute = " + number_words(elements.absolute) + "\n"
              : "bit_exact = true\n");
  scene.hash = scene_hash(scene);
  return scene;
}

}  // namespace warpscope
