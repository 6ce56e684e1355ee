// scenes/first_description.cpp: the first description of a scene, from a program's text.
#include "scenes/first_description.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "scenes/base/axis.h"
#include "scenes/base/source.h"
#include "scenes/folder/expression.h"
#include "scenes/folder/form/described_fill.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostVariants = 60, kMostAxes = 24, kMostBuffers = 100;
constexpr double kUsualEnd = 65536, kMostWhole = 9007199254740992.0;

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::string line(const std::string& text, const std::string& comment) {
  constexpr std::size_t kColumn = 44;
  std::string out = text;
  if (out.size() + 1 < kColumn) out.append(kColumn - out.size(), ' ');
  return out + " # " + comment + "\n";
}

std::string number_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : to_text(AxisValue(value));
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

// A slider for the launch shape of variants that have no other one.
struct OwnAxis {
  std::string name;
  bool of_block = false;  // threads of a block; else blocks
  double value = 1, high = 1;
  std::vector<std::size_t> variants;  // places among the launches that are described
};

std::string own_axis_name(const HostProgram& program, const std::vector<OwnAxis>& others,
                          const std::string& base) {
  const auto taken = [&](const std::string& name) {
    return std::any_of(program.sizes.begin(), program.sizes.end(),
                       [&](const ProposedSize& size) { return size.name == name; }) ||
           std::any_of(others.begin(), others.end(),
                       [&](const OwnAxis& own) { return own.name == name; });
  };
  std::string name = base;
  for (int number = 2; taken(name); ++number) name = base + "_" + std::to_string(number);
  return name;
}

bool names_word(const std::string& text, const std::string& word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

bool names_size(const ProposedArgument& argument, const std::string& size) {
  return names_word(argument.value.text, size) ||
         std::any_of(argument.members.begin(), argument.members.end(),
                     [&](const ProposedArgument& member) { return names_size(member, size); });
}

// Whether the launch itself changes with a size: a buffer that only grows changes nothing.
bool names_size(const ProposedLaunch& launch, const std::string& size) {
  const auto in = [&](const Quantity& quantity) { return names_word(quantity.text, size); };
  return std::any_of(launch.grid.begin(), launch.grid.end(), in) ||
         std::any_of(launch.block.begin(), launch.block.end(), in) || in(launch.shared) ||
         std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [&](const ProposedArgument& argument) { return names_size(argument, size); });
}

// The launches that no size of the text varies get a slider for their blocks, or where they have
// one block, for its threads.
std::vector<OwnAxis> own_axes_of(const HostProgram& program,
                                 const std::vector<std::size_t>& launches,
                                 const std::vector<const ProposedSize*>& axes) {
  constexpr double kUsualBlocks = 16;
  std::vector<OwnAxis> all;
  for (std::size_t place = 0; place < launches.size(); ++place) {
    const ProposedLaunch& launch = program.launches[launches[place]];
    const bool varies = std::any_of(axes.begin(), axes.end(), [&](const ProposedSize* size) {
      return names_size(launch, size->name);
    });
    if (varies) continue;
    const double blocks = launch.grid[0].value, threads = launch.block[0].value;
    OwnAxis own;
    own.of_block = blocks <= 1 && threads > 1;
    own.value = std::max(1.0, own.of_block ? threads : blocks);
    own.high = own.value > 1 ? own.value : kUsualBlocks;
    const auto same = std::find_if(all.begin(), all.end(), [&](const OwnAxis& other) {
      return other.of_block == own.of_block && other.value == own.value;
    });
    if (same != all.end()) {
      same->variants.push_back(place);
      continue;
    }
    own.name = own_axis_name(program, all, own.of_block ? "threads" : "blocks");
    own.variants.push_back(place);
    all.push_back(std::move(own));
  }
  return all;
}

const OwnAxis* own_axis(const std::vector<OwnAxis>& all, std::size_t place) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const OwnAxis& own) {
    return std::find(own.variants.begin(), own.variants.end(), place) != own.variants.end();
  });
  return found == all.end() ? nullptr : &*found;
}

// "in (const float*); n (int)"
std::string parameters_text(const KernelText& kernel) {
  std::string text;
  for (const KernelParameter& parameter : kernel.parameters)
    text += (text.empty() ? "" : "; ") + parameter.name + " (" + parameter.type + ")";
  return text;
}

// What a description says of a program, and which of its launches it can say.
class Draft {
 public:
  Draft(std::string_view text, const HostProgram& program) : program_(program) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    choose_launches();
    choose_sizes();
  }

  bool empty() const { return launches_.empty(); }
  // Why the first launch that cannot be described cannot be.
  const std::string& obstacle() const { return obstacle_; }
  std::string baseline() const { return names_.front(); }

  std::string axes() const {
    std::string out;
    for (const ProposedSize* size : axes_) {
      const double end = size->asked ? kUsualEnd : std::max(kUsualEnd, 4 * size->value);
      out += axis(size->name, size->value, size->value < 1 ? 0 : 1, std::min(end, kMostWhole),
                  size->asked ? (size->why.empty() ? "a guess" : "a guess: it is " + size->why)
                              : "the initial value, from " + quoted(size->line) +
                                    (size->why.empty() ? "" : "; " + size->why));
    }
    for (const OwnAxis& own : own_axes_) {
      out += axis(own.name, own.value, 1, own.high,
                  std::string(own.of_block ? "threads" : "blocks") +
                      " in x: the text has no size that can vary");
      if (own.variants.size() < launches_.size())
        out += line("of_variants = " + names_text(own.variants), "the kernels that it launches");
    }
    if (fixed_.empty()) return out;
    out += "\n# Sizes that the kernels are compiled with: change them there and here.\n[let]\n";
    for (const ProposedSize* size : fixed_)
      out += line(size->name + " = " + number_text(size->value),
                  size->line == 0 ? "a guess" : "from " + quoted(size->line));
    return out;
  }

  std::string buffers() const {
    std::string out =
        "\n# The buffers passed to kernels. role: input, output, state (read and written) or "
        "scratch; fill: random,\n# iota, zero, one; element = \"2 * uniform(1, i) - 1\" is an "
        "expression of the index; file = \"x.npy\".\n";
    for (const ProposedBuffer* buffer : buffers_) {
      out += "\n[buffers." + buffer->name + "]\n";
      out += line("type = \"" + buffer->type + "\"", "u8 i8 u16 i32 u32 i64 u64 f16 bf16 f32 f64");
      const std::string shape = shape_of(*buffer);
      if (!shape.empty()) {
        out += line(shape, "from the comment after the parameter");
      } else {
        out += line("count = " + expression(buffer->count),
                    buffer->count.asked || buffer->count.line == 0
                        ? "elements: a guess, " + buffer->count.why
                        : "elements, from " + quoted(buffer->count.line));
      }
      out += role(*buffer);
    }
    if (unwritten_)
      out +=
          "\n# No kernel writes to a parameter. A run needs a result, and this one stays zero.\n"
          "[buffers.unwritten]\ntype = \"u8\"\ncount = 1\nrole = \"state\"\nfill = \"zero\"\n";
    return out;
  }

  std::string variants() const {
    std::string out;
    for (std::size_t i = 0; i < launches_.size(); ++i) out += variant(i);
    return out + left_out_;
  }

 private:
  void choose_launches() {
    std::set<std::string> names;
    for (std::size_t i = 0; i < program_.launches.size() && launches_.size() < kMostVariants; ++i) {
      const ProposedLaunch& launch = program_.launches[i];
      const std::string why = why_not(launch);
      if (!why.empty()) {
        if (obstacle_.empty()) obstacle_ = launch.kernel + " " + why;
        left_out_ += "\n# " + launch.kernel +
                     (launch.line == 0 ? "" : " of line " + std::to_string(launch.line)) +
                     " is left out: it " + why + ".\n";
        continue;
      }
      std::string name = launch.kernel;
      if (names.contains(name)) name = instance_name(launch.instance);
      const std::string base = name;
      for (int number = 2; names.contains(name); ++number)
        name = base + "_" + std::to_string(number);
      names.insert(name);
      names_.push_back(name);
      launches_.push_back(i);
      keep_buffers(launch);
    }
    const bool written = std::any_of(
        buffers_.begin(), buffers_.end(),
        [](const ProposedBuffer* buffer) { return buffer->role != ProposedRole::input; });
    unwritten_ = !written;
  }

  // Whether a description has words for it.
  static bool is_passed(const ProposedArgument& argument) {
    if (argument.record)
      return std::all_of(argument.members.begin(), argument.members.end(), is_passed);
    const std::string& type = argument.type;
    return !argument.buffer.empty() || type == "i32" || type == "i64" || type == "u64" ||
           type == "u32" || type == "f32" || type == "f64" || is_narrow(type);
  }
  // Passed as a structure that holds it alone.
  static bool is_narrow(const std::string& type) {
    return type == "u8" || type == "i8" || type == "u16" || type == "f16" || type == "bf16";
  }

  static std::vector<std::string> buffer_names(const ProposedArgument& argument) {
    if (!argument.buffer.empty()) return {argument.buffer};
    std::vector<std::string> names;
    for (const ProposedArgument& member : argument.members) {
      for (std::string& name : buffer_names(member)) names.push_back(std::move(name));
    }
    return names;
  }

  // What a scene cannot say of a launch; empty: nothing.
  std::string why_not(const ProposedLaunch& launch) const {
    const KernelText& kernel = *program_.kernel(launch.kernel);
    std::size_t buffers = 0;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      const KernelParameter& parameter = kernel.parameters[p];
      const ProposedArgument& argument = launch.arguments[p];
      if (!is_passed(argument))
        return "has a parameter of type “" + parameter.type + "”, which a description cannot pass";
      if (!argument.buffer.empty() && parameter.type.find('*') != parameter.type.rfind('*'))
        return "takes an array of pointers, “" + parameter.type +
               "”, which a description cannot pass";
      buffers += buffer_names(argument).size();
    }
    return buffers_.size() + buffers > kMostBuffers ? "would need more than 100 buffers" : "";
  }

  void keep_buffers(const ProposedLaunch& launch) {
    const auto keep = [this](const std::string& name) {
      const ProposedBuffer* buffer = program_.buffer(name);
      if (buffer != nullptr &&
          std::find(buffers_.begin(), buffers_.end(), buffer) == buffers_.end())
        buffers_.push_back(buffer);
    };
    for (const ProposedArgument& argument : launch.arguments) {
      for (const std::string& name : buffer_names(argument)) keep(name);
    }
    for (const ProposedConstant& constant : launch.constants) keep(constant.buffer);
  }

  // reduce_float_256 of "space::reduce<float, 256>"
  static std::string instance_name(const std::string& instance) {
    std::string name;
    for (const char c : instance) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      if (plain || (!name.empty() && name.back() != '_')) name += plain ? c : '_';
    }
    while (!name.empty() && name.back() == '_') name.pop_back();
    name.resize(std::min<std::size_t>(name.size(), 60));
    return name;
  }

  void choose_sizes() {
    std::set<std::string> used;
    for (const std::size_t i : launches_) {
      for (const std::string& name : program_.launches[i].sizes) used.insert(name);
    }
    for (const ProposedSize& size : program_.sizes) {
      if (!used.contains(size.name)) continue;
      const bool fixed = size.fixed || !size.whole || size.value < 0 || axes_.size() >= kMostAxes;
      (fixed ? fixed_ : axes_).push_back(&size);
    }
    for (const ProposedSize& size : program_.sizes) {
      if (used.contains(size.name)) known_.push_back({size.name, {}});
    }
    own_axes_ = own_axes_of(program_, launches_, axes_);
  }

  std::string names_text(const std::vector<std::size_t>& places) const {
    std::string list;
    for (const std::size_t place : places)
      list += (list.empty() ? "\"" : ", \"") + names_[place] + "\"";
    return "[" + list + "]";
  }

  static std::string axis(const std::string& name, double value, double low, double high,
                          const std::string& why) {
    const bool log = low > 0 && high > 4;
    return "\n[axes." + name + "]\n" +
           line("label = \"" + name + "\"", "the text beside the slider") +
           line("unit = \"\"", "elements, rows, bytes …") +
           line("range = [" + number_text(low) + ", " + number_text(high) + "]",
                "the slider's ends") +
           line("default = " + number_text(value), why) +
           line(log ? "scale = \"log\"" : "scale = \"linear\"",
                log ? "or \"linear\"" : "or \"log\"");
  }

  // “line 7: const int n = 1000;”
  std::string quoted(int number) const {
    constexpr std::size_t kMostQuoted = 70;
    const std::string head = "line " + std::to_string(number);
    if (number < 1 || static_cast<std::size_t>(number) > lines_.size()) return head;
    std::string text = trimmed(lines_[static_cast<std::size_t>(number) - 1]);
    std::string plain;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      plain += byte >= 0x20 && byte < 0x7f ? c : ' ';
    }
    if (plain.size() > kMostQuoted) plain = plain.substr(0, kMostQuoted) + " …";
    return head + ": " + plain;
  }

  // A number, or an expression that a description can read, in quotes.
  std::string expression(const Quantity& quantity) const {
    if (quantity.text.empty()) return number_text(quantity.value);
    const bool plain = quantity.text.find_first_not_of("0123456789") == std::string::npos;
    if (plain && quantity.text.size() < 16) return quantity.text;
    if (!Expression::parse(quantity.text, known_)) return number_text(quantity.value);
    return "\"" + quantity.text + "\"";
  }

  // The shape that a comment gives to a parameter, if it names nothing but sizes and numbers and
  // the text does not allocate the buffer.
  std::string shape_of(const ProposedBuffer& buffer) const {
    if (!buffer.count.asked) return {};
    for (const std::size_t i : launches_) {
      const ProposedLaunch& launch = program_.launches[i];
      const KernelText& kernel = *program_.kernel(launch.kernel);
      for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
        const KernelParameter& parameter = kernel.parameters[p];
        if (launch.arguments[p].buffer != buffer.name || parameter.shape.empty() ||
            parameter.elements != 1)
          continue;
        return list_of(parameter.shape);
      }
    }
    return {};
  }

  std::string list_of(const std::string& shape) const {
    std::string list, word;
    for (const char c : shape + ",") {
      if (c != ',') {
        word += c;
        continue;
      }
      word = trimmed(std::exchange(word, {}));
      const bool name =
          std::any_of(known_.begin(), known_.end(),
                      [&word](const ExpressionName& known) { return known.name == word; });
      const bool number =
          !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
      if (!name && !number) return {};
      list += (list.empty() ? "\"" : ", \"") + word + "\"";
      word.clear();
    }
    return "shape = [" + list + "]";
  }

  std::string role(const ProposedBuffer& buffer) const {
    if (buffer.role == ProposedRole::output)
      return line("role = \"output\"", "the kernels only write it");
    std::string out;
    if (buffer.role == ProposedRole::state)
      out = line("role = \"state\"", "kernels read and write it, or add to it by atomics");
    const std::string why = buffer.fill.asked      ? "a guess: " + buffer.fill.why
                            : buffer.fill.line > 0 ? "from " + quoted(buffer.fill.line)
                                                   : buffer.fill.why;
    return out + fill(buffer, why);
  }

  std::string fill(const ProposedBuffer& buffer, const std::string& why) const {
    const std::string comment = why.empty() ? "a guess" : why;
    switch (buffer.fill.value) {
      case ProposedFill::zero:
        return line("fill = \"zero\"", comment);
      case ProposedFill::one:
        return line("fill = \"one\"", comment);
      case ProposedFill::iota:
        return line("fill = \"iota\"", comment);
      case ProposedFill::byte:
        return line("element = \"" + element_of_byte(buffer) + "\"", comment);
      case ProposedFill::element:
        if (Expression::parse(buffer.fill.text, {}, Expression::Use::element))
          return line("element = \"" + buffer.fill.text + "\"", comment);
        break;
      default:
        break;
    }
    return line("fill = \"random\"",
                comment + (why.empty() ? "" : "; floats in [0, 1), whole numbers below the count"));
  }

  // What an element is whose bytes are all alike.
  static std::string element_of_byte(const ProposedBuffer& buffer) {
    const auto byte = std::strtoul(buffer.fill.text.c_str(), nullptr, 10) & 0xff;
    return element_of_bytes(buffer.type, static_cast<unsigned>(byte));
  }

  std::string extents(const std::array<Quantity, 3>& shape, const OwnAxis* own) const {
    std::array<std::string, 3> texts;
    for (std::size_t i = 0; i < 3; ++i) texts[i] = expression(shape[i]);
    if (own != nullptr) texts[0] = "\"" + own->name + "\"";
    const std::size_t used = texts[2] != "1" ? 3 : texts[1] != "1" ? 2 : 1;
    if (used == 1) return texts[0];
    return "[" + texts[0] + ", " + texts[1] + (used == 3 ? ", " + texts[2] : "") + "]";
  }

  std::string variant(std::size_t place) const {
    const ProposedLaunch& launch = program_.launches[launches_[place]];
    const KernelText& kernel = *program_.kernel(launch.kernel);
    const std::string where =
        launch.line == 0 ? "a guess: the text does not launch it" : "from " + quoted(launch.line);
    std::string out = "\n[variants." + names_[place] + "]\n";
    const std::string entry = kernel.plain ? kernel.name : launch.instance;
    out +=
        line("sentence = \"The kernel " + launch.kernel + ".\"", "what it does, in one sentence");
    if (entry != names_[place])
      out += line("entry = \"" + entry + "\"", "the kernel's name in C++");
    if (!launch.reached) out += "# The program launches it only in another branch.\n";
    if (launch.cooperative)
      out += line("cooperative = true", "all blocks are on the device at once: " + where);
    const OwnAxis* own = own_axis(own_axes_, place);
    out += line("grid = " + extents(launch.grid, own != nullptr && !own->of_block ? own : nullptr),
                "blocks: " + (launch.grid[0].asked && launch.line != 0 ? "a guess" : where));
    out += line("block = " + extents(launch.block, own != nullptr && own->of_block ? own : nullptr),
                launch.block[0].asked ? "threads per block: a guess" : "threads per block");
    out += line("shared = " + expression(launch.shared),
                launch.shared.asked ? "bytes of dynamic shared memory: the kernel uses it, and the "
                                      "text does not say how many"
                                    : "bytes of dynamic shared memory");
    std::string arguments;
    for (const ProposedArgument& argument : launch.arguments)
      arguments += (arguments.empty() ? "" : ", ") + text_of(argument);
    out += line("arguments = [" + arguments + "]",
                "in the kernel's order: " + parameters_text(kernel));
    std::string constants;
    for (const ProposedConstant& constant : launch.constants)
      constants +=
          (constants.empty() ? "" : ", ") + constant.symbol + " = \"" + constant.buffer + "\"";
    if (!constants.empty())
      out += line("constants = { " + constants + " }", "__constant__ arrays and their buffers");
    for (const Question& question : launch.questions) {
      out += "# ? " + question.text +
             (question.line == 0 ? "" : " (line " + std::to_string(question.line) + ")") + ".\n";
    }
    return out;
  }

  std::string text_of(const ProposedArgument& argument) const {
    const std::string words = words_of(argument);
    return is_narrow(argument.type) ? "\"struct:{" + words + "}\"" : "\"" + words + "\"";
  }

  std::string words_of(const ProposedArgument& argument) const {
    if (!argument.buffer.empty()) return argument.buffer;
    if (argument.record) {
      std::string members;
      for (const ProposedArgument& member : argument.members)
        members += (members.empty() ? "" : ",") + words_of(member);
      return members.empty() ? "bytes:00" : "struct:{" + members + "}";
    }
    std::string value = expression(argument.value);
    if (value.front() == '"') value = value.substr(1, value.size() - 2);
    return argument.type + ":" + value;
  }

  const HostProgram& program_;
  std::vector<std::string_view> lines_;
  std::vector<std::size_t> launches_;  // of program_.launches, and their variants' names
  std::vector<std::string> names_;
  std::vector<const ProposedBuffer*> buffers_;
  std::vector<const ProposedSize*> axes_, fixed_;
  std::vector<ExpressionName> known_;
  std::vector<OwnAxis> own_axes_;
  std::string obstacle_, left_out_;
  bool unwritten_ = false;  // no launch writes to a buffer
};

}  // namespace

Result<std::string> first_description(std::string_view text, const std::string& file,
                                      const HeaderTexts& headers) {
  const HostProgram program = read_program(text, headers);
  if (program.kernels.empty()) {
    return failure(ErrorKind::input, "it has no __global__ function", file,
                   "write __global__ void name(…)");
  }
  const Draft draft(text, program);
  if (draft.empty())
    return failure(ErrorKind::input, draft.obstacle(), file,
                   "pass pointers to numbers, and numbers");
  return "# The first description of " + file +
         ": every field, with its meaning. Correct the guesses.\n" +
         line("title = \"" + std::filesystem::path(file).stem().string() + "\"",
              "what it computes") +
         line("story = \"\"", "two or three sentences") +
         line("baseline = \"" + draft.baseline() + "\"",
              "the variant that others are compared with") +
         draft.axes() + draft.buffers() + kAboutVariants + draft.variants() + kAboutReferences;
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
  const Result<std::vector<KernelSource>> sources = read_own_kernel(kernel.string());
  if (!sources) return tl::unexpected(sources.error());
  const std::string* const text = &sources->front().text;
  const Result<std::string> description =
      first_description(*text, kernel.filename().string(), header_texts(*sources));
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
