// scenes/first_description.cpp: the first description of a scene, from a kernel's text.
#include "scenes/first_description.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/kernel_signature.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

struct TypeRow {
  const char *cuda, *type;
  int elements = 1;  // of the type, in one of CUDA's
};
constexpr std::array<TypeRow, 30> kTypes = {{{"float", "f32"},
                                             {"double", "f64"},
                                             {"int", "i32"},
                                             {"unsigned", "u32"},
                                             {"unsigned int", "u32"},
                                             {"long long", "i64"},
                                             {"long", "i64"},
                                             {"size_t", "i64"},
                                             {"unsigned long long", "i64"},
                                             {"unsigned char", "u8"},
                                             {"bool", "u8"},
                                             {"char", "i8"},
                                             {"signed char", "i8"},
                                             {"unsigned short", "u16"},
                                             {"int8_t", "i8"},
                                             {"uint8_t", "u8"},
                                             {"uint16_t", "u16"},
                                             {"int32_t", "i32"},
                                             {"uint32_t", "u32"},
                                             {"int64_t", "i64"},
                                             {"__half", "f16"},
                                             {"half", "f16"},
                                             {"__nv_bfloat16", "bf16"},
                                             {"float2", "f32", 2},
                                             {"float4", "f32", 4},
                                             {"int2", "i32", 2},
                                             {"int4", "i32", 4},
                                             {"uint4", "u32", 4},
                                             {"__half2", "f16", 2},
                                             {"half2", "f16", 2}}};

// The type without const, std:: and a star at its end.
const TypeRow* type_of(std::string type) {
  for (const char* word : {"const", "std::", "*"}) {
    for (std::size_t at = type.find(word); at != std::string::npos; at = type.find(word))
      type.erase(at, std::string_view(word).size());
  }
  type = trimmed(type);
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&type](const TypeRow& row) { return type == row.cuda; });
  return found == kTypes.end() ? nullptr : &*found;
}

bool is_pointer(const KernelParameter& p) { return p.type.find('*') != std::string::npos; }

bool is_whole(const KernelParameter& p) {
  const TypeRow* type = is_pointer(p) ? nullptr : type_of(p.type);
  return type != nullptr && std::string_view(type->type) != "f32" &&
         std::string_view(type->type) != "f64";
}

struct Draft {
  std::vector<std::string> axes;
  struct Buffer {
    std::string name, type, shape;
    bool written = false;
  };
  std::vector<Buffer> buffers;

  void add(const KernelParameter& p) {
    if (is_whole(p) && std::find(axes.begin(), axes.end(), p.name) == axes.end())
      axes.push_back(p.name);
  }
  // A shape of a comment, where it names nothing but axes and numbers; else all axes together.
  std::string shape_of(const KernelParameter& p, int elements) const {
    std::string list, word;
    bool known = !p.shape.empty();
    for (const char c : p.shape + ",") {
      if (c != ',') {
        word += c;
        continue;
      }
      word = trimmed(word);
      const bool number = !word.empty() && std::all_of(word.begin(), word.end(),
                                                       [](char d) { return d >= '0' && d <= '9'; });
      known = known && (number || std::find(axes.begin(), axes.end(), word) != axes.end());
      list += (list.empty() ? "\"" : ", \"") + word + "\"";
      word.clear();
    }
    if (known && elements == 1) return "shape = [" + list + "]";
    std::string product;
    for (const std::string& axis : axes) product += (product.empty() ? "" : " * ") + axis;
    return "count = \"" + product + "\"";
  }
};

std::string line(const std::string& text, const std::string& comment) {
  constexpr std::size_t kColumn = 44;
  std::string out = text;
  if (out.size() + 1 < kColumn) out.append(kColumn - out.size(), ' ');
  return out + " # " + comment + "\n";
}

constexpr const char* kAboutVariants =
    "\n# The kernels. Sizes are numbers or expressions of axes: + - * / % ^, comparisons, c ? a : "
    "b,\n"
    "# min, max, ceil_div, round_up, floor, ceil.\n"
    "# constraints = [{ holds = \"n % 4 == 0\", sentence = \"n must be a multiple of 4\" }]\n";
constexpr const char* kAboutReferences =
    "\n# What outputs are compared with: a kernel that writes doubles, or variant = \"NAME\", "
    "or\n# files = { y = \"y.npy\" }; and how far an element may be off.\n# [reference]\n# entry = "
    "\"exact\"\n# grid = \"ceil_div(n, 256)\"\n# block = 256\n# arguments = [\"x\", "
    "\"y.reference\", \"i32:n\"]\n# [tolerance]\n# reference = \"2^-23\"  # of the reference; also "
    "absolute, magnitude, accumulation, bit_exact\n\n# What the operator must compute and move at "
    "least.\n# [work]\n# flops = \"2 * n\"\n# dram_bytes = \"8 * n\"\n";

std::string axes_text(const Draft& draft) {
  std::string out;
  const char* usual = draft.axes.size() > 1 ? "64" : "4096";
  for (const std::string& axis : draft.axes) {
    out += "\n[axes." + axis + "]\n";
    out += line("label = \"" + axis + "\"", "the text beside the slider");
    out += line("unit = \"\"", "elements, rows, bytes …");
    out += line("range = [1, 65536]", "the slider's ends");
    out += line(std::string("default = ") + usual, "the initial value");
    out += line("scale = \"log\"", "or \"linear\"");
  }
  return out;
}

std::string buffers_text(const Draft& draft) {
  std::string out =
      "\n# The buffers passed to kernels. role: input, output, state (read and written) or "
      "scratch; fill: random,\n# iota, zero, one; element = \"2 * uniform(1, i) - 1\" is an "
      "expression of the index; file = \"x.npy\".\n";
  for (const Draft::Buffer& buffer : draft.buffers) {
    out += "\n[buffers." + buffer.name + "]\n";
    out += line("type = \"" + buffer.type + "\"", "u8 i8 u16 i32 u32 i64 f16 bf16 f32 f64");
    out += line(buffer.shape, "elements: a guess from the signature, to be checked");
    out += buffer.written
               ? line("role = \"output\"", "or \"state\", if the kernel also reads it")
               : line("fill = \"random\"", "floats in [0, 1), whole numbers below the count");
  }
  return out;
}

Result<std::string> variant_text(const KernelSignature& kernel, const Draft& draft) {
  std::string arguments;
  for (const KernelParameter& p : kernel.parameters) {
    const TypeRow* type = type_of(p.type);
    std::string word = p.name;
    if (!is_pointer(p)) {
      const std::string scalar = type->type;
      const bool whole = is_whole(p);
      const bool fits = scalar == "i32" || scalar == "i64" || scalar == "u32" || !whole;
      if (!fits) {
        return failure(ErrorKind::input, kernel.name + " takes a " + p.type + " " + p.name, "",
                       "values are int, unsigned, long long, float or double");
      }
      word = scalar + ":" + (whole ? p.name : "1");
    }
    arguments += (arguments.empty() ? "\"" : ", \"") + word + "\"";
  }
  std::string out = "\n[variants." + kernel.name + "]\n";
  out += line("sentence = \"The kernel " + kernel.name + ".\"", "what it does, in one sentence");
  if (kernel.by_rows) {
    const std::string& x = draft.axes.back();
    const std::string& y = draft.axes.front();
    out += line("grid = [\"ceil_div(" + x + ", 16)\", \"ceil_div(" + y + ", 16)\"]",
                "blocks in x, y: a guess");
    out += line("block = [16, 16]", "threads in x, y: a guess");
  } else {
    std::string product;
    for (const std::string& axis : draft.axes) product += (product.empty() ? "" : " * ") + axis;
    const std::string threads = std::to_string(kernel.threads);
    out += line("grid = \"ceil_div(" + product + ", " + threads + ")\"", "blocks: a guess");
    out += line("block = " + threads, "threads per block");
  }
  out += line("shared = 0", "bytes of dynamic shared memory");
  out += line("arguments = [" + arguments + "]", "in the kernel's order");
  return out;
}

}  // namespace

Result<std::string> first_description(std::string_view text, const std::string& file) {
  std::vector<KernelSignature> kernels = kernels_in(text);
  const bool mangled = !kernels.empty() || text.find("__global__") != std::string_view::npos;
  std::erase_if(kernels, [](const KernelSignature& kernel) { return !kernel.plain; });
  if (kernels.empty()) {
    return failure(
        ErrorKind::input,
        mangled ? "none of its kernels is extern \"C\"" : "it has no __global__ function", file,
        "write extern \"C\" __global__ void name(…)");
  }
  Draft draft;
  for (const KernelSignature& kernel : kernels) {
    for (const KernelParameter& p : kernel.parameters) {
      if (type_of(p.type) == nullptr || p.name.empty()) {
        return failure(
            ErrorKind::input,
            kernel.name + " has a parameter of type “" + p.type + "”, which a buffer cannot have",
            file, "pass pointers to numbers, and numbers");
      }
      draft.add(p);
    }
  }
  if (draft.axes.empty()) draft.axes.emplace_back("n");
  std::map<std::string, std::size_t> places;
  for (const KernelSignature& kernel : kernels) {
    for (const KernelParameter& p : kernel.parameters) {
      if (!is_pointer(p)) continue;
      const TypeRow& type = *type_of(p.type);
      const auto [place, added] = places.emplace(p.name, draft.buffers.size());
      if (added) draft.buffers.push_back({p.name, type.type, draft.shape_of(p, type.elements)});
      if (p.type.find("const") == std::string::npos) draft.buffers[place->second].written = true;
    }
  }
  std::string variants;
  for (const KernelSignature& kernel : kernels) {
    Result<std::string> variant = variant_text(kernel, draft);
    if (!variant) return variant;
    variants += *variant;
  }
  return "# The first description of " + file +
         ": every field, with its meaning. Correct the guesses.\n" +
         line("title = \"" + kernels.front().name + "\"", "what it computes") +
         line("story = \"\"", "two or three sentences") +
         line("baseline = \"" + kernels.front().name + "\"",
              "the variant that others are compared with") +
         axes_text(draft) + buffers_text(draft) + kAboutVariants + variants + kAboutReferences;
}

namespace {

namespace fs = std::filesystem;

// The folder beside the kernel, named like it; the kernel's own where that has its name already.
fs::path folder_for(const fs::path& kernel) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(kernel, ignored).lexically_normal();
  const bool inside = whole.parent_path().filename() == whole.stem();
  return inside ? kernel.parent_path() : kernel.parent_path() / kernel.stem();
}

}  // namespace

Result<fs::path> write_first_description(const fs::path& kernel) {
  const Result<std::string> text = read_input(kernel, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const Result<std::string> description = first_description(*text, kernel.filename().string());
  if (!description) return tl::unexpected(description.error());
  const fs::path folder = folder_for(kernel), file = folder / kDescriptionFile;
  const fs::path copy = folder / kernel.filename();
  std::error_code failed;
  const bool same = fs::equivalent(copy, kernel, failed);
  for (const fs::path& there : {file, copy}) {
    if (!fs::exists(there, failed) || (same && there == copy)) continue;
    return failure(ErrorKind::usage, "it exists already and is not overwritten", there.string(),
                   "edit it, or move it away");
  }
  failed.clear();
  fs::create_directories(folder, failed);
  Result<void> written = same ? Result<void>{} : write_file(copy.string(), *text);
  if (written) written = write_file(file.string(), *description);
  if (!written) return tl::unexpected(written.error());
  return folder;
}

}  // namespace warpscope
