// profiling/launches/program_launches.cpp: the launches of a program's text in the words of a trace
// job.
#include "profiling/launches/program_launches.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "profiling/launches/number_text.h"
#include "scenes/base/half.h"
#include "scenes/base/user_argument.h"
#include "scenes/folder/form/description_edits.h"
#include "scenes/program/program.h"
#include "scenes/ptx_description.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostLaunches = 40;
constexpr std::int64_t kMostElements = kMostPagedBytes / 8;  // of a buffer

template <typename T>
std::string bytes_text(T value) {
  std::string text = "bytes:0x";
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  for (const unsigned char byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

// A value in words that its type holds, cut off as C++ does.
std::string value_words(const std::string& type, double value) {
  const double whole = std::isfinite(value) ? std::trunc(value) : 0;
  const auto bits = static_cast<std::int64_t>(std::clamp(whole, -9.2e18, 9.2e18));
  if (type == "i32") return "i32:" + std::to_string(static_cast<std::int32_t>(bits));
  if (type == "u32") return "u32:" + std::to_string(static_cast<std::uint32_t>(bits));
  if (type == "i64") return "i64:" + std::to_string(bits);
  if (type == "u64") return "u64:" + std::to_string(static_cast<std::uint64_t>(bits));
  if (type == "u8") return "u8:" + std::to_string(static_cast<std::uint8_t>(bits));
  if (type == "i8") return "i8:" + std::to_string(static_cast<std::int8_t>(bits));
  if (type == "u16") return "u16:" + std::to_string(static_cast<std::uint16_t>(bits));
  const auto real = static_cast<float>(value);
  if (type == "f16") return bytes_text(to_f16(real));
  if (type == "bf16") return bytes_text(to_bf16(real));
  if (type == "f64") return std::isfinite(value) ? "f64:" + number_text(value) : bytes_text(value);
  return std::isfinite(real) && (real != 0 || value == 0) ? "f32:" + number_text(value)
                                                          : bytes_text(real);
}

// A value as a person reads it: "1000", "1e-06".
std::string shown(const std::string& words) {
  const std::size_t colon = words.find(':');
  const bool plain = !words.starts_with("struct") && !words.starts_with("bytes");
  return plain && colon != std::string::npos ? words.substr(colon + 1) : words;
}

// Words of a buffer: whether it begins with random whole numbers.
bool is_random_whole(const std::string& words) {
  return (words.front() == 'i' || words.front() == 'u') && words.ends_with(":random");
}

const char* shape_text(const Dim3& d, std::string& text) {
  text = std::to_string(d.x);
  if (d.y > 1 || d.z > 1) text = "(" + text + ", " + std::to_string(d.y);
  if (d.z > 1) text += ", " + std::to_string(d.z);
  if (d.y > 1 || d.z > 1) text += ")";
  return text.c_str();
}

class Reader {
 public:
  Reader(std::string_view text, const HeaderTexts& headers)
      : program_(read_program(text, headers)) {}

  ProgramLaunches all(const std::string& kernel) {
    choose(kernel);
    for (const ProposedLaunch* launch : chosen_) {
      for (const ProposedArgument& argument : launch->arguments) keep_buffers(argument);
    }
    for (const ProposedLaunch* launch : chosen_) add(*launch);
    for (std::size_t i = 0; i < chosen_.size(); ++i) out_.launches[i].feeds = feeds(i);
    return std::move(out_);
  }

 private:
  static bool is_meant(const ProposedLaunch& launch, const std::string& wanted) {
    const auto squeezed = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    return wanted.empty() || launch.kernel == wanted ||
           squeezed(launch.instance) == squeezed(wanted) ||
           squeezed(launch.instance).ends_with("::" + squeezed(wanted));
  }

  void choose(const std::string& kernel) {
    const auto take = [&](auto&& wanted) {
      for (const ProposedLaunch& launch : program_.launches) {
        if (is_meant(launch, kernel) && wanted(launch) && chosen_.size() < kMostLaunches)
          chosen_.push_back(&launch);
      }
    };
    take([](const ProposedLaunch& launch) { return launch.line > 0 && launch.reached; });
    if (chosen_.empty()) take([](const ProposedLaunch& launch) { return launch.line > 0; });
    if (chosen_.empty()) take([](const ProposedLaunch&) { return true; });
    std::set<std::string> named;
    for (const ProposedLaunch* launch : chosen_) named.insert(launch->kernel);
    for (const ProposedLaunch& launch : program_.launches) {
      if (kernel.empty() && named.insert(launch.kernel).second)
        out_.others.push_back(
            {launch.kernel + " is not run",
             launch.line == 0
                 ? "the program does not launch it; --kernel " + launch.kernel + " runs it"
                 : "the program launches it only in another branch; --kernel " + launch.kernel +
                       " runs it",
             launch.line, true});
    }
  }

  // Whether the text does not say it, or a size that it is made of.
  bool is_guess(const Quantity& quantity) const {
    if (quantity.asked) return true;
    return names_any(quantity.text, [&](std::string_view word) {
      const auto size = std::find_if(program_.sizes.begin(), program_.sizes.end(),
                                     [&](const ProposedSize& s) { return s.name == word; });
      return size != program_.sizes.end() && size->asked;
    });
  }

  void keep_buffers(const ProposedArgument& argument) {
    for (const ProposedArgument& member : argument.members) keep_buffers(member);
    const ProposedBuffer* buffer = program_.buffer(argument.buffer);
    if (buffer == nullptr || !kept_.insert(buffer->name).second) return;
    out_.buffers.emplace_back(buffer->name, words_of(*buffer));
    if (is_guess(buffer->count)) out_.guessed_sizes.push_back(buffer->name);
    if (buffer->fill.asked && is_random_whole(out_.buffers.back().second))
      out_.guessed_contents.push_back(buffer->name);
  }

  // What the first launch that is given the buffer does with it.
  bool begins_unset(const ProposedBuffer& buffer) const {
    for (const ProposedLaunch* launch : chosen_) {
      const KernelText& kernel = *program_.kernel(launch->kernel);
      for (std::size_t p = 0; p < launch->arguments.size(); ++p) {
        if (launch->arguments[p].buffer != buffer.name) continue;
        const KernelParameter& use = kernel.parameters[p];
        return use.written && !use.read && !use.atomic;
      }
    }
    return buffer.role == ProposedRole::output;
  }

  std::string words_of(const ProposedBuffer& buffer) const {
    const double count =
        std::clamp(std::floor(buffer.count.value), 1.0, static_cast<double>(kMostElements));
    std::string words = buffer.type + "[" + number_text(count) + "]:";
    if (buffer.fill.asked && buffer.role != ProposedRole::input && begins_unset(buffer))
      return words + "unset";
    switch (buffer.fill.value) {
      case ProposedFill::unset:
        return words + "unset";
      case ProposedFill::zero:
        return words + "zero";
      case ProposedFill::one:
        return words + "one";
      case ProposedFill::iota:
        return words + "iota";
      case ProposedFill::byte: {
        char byte[5];
        std::snprintf(byte, sizeof byte, "0x%02lx",
                      std::strtoul(buffer.fill.text.c_str(), nullptr, 10) & 0xff);
        return words + byte;
      }
      case ProposedFill::element:
        return words + "=" + buffer.fill.text;
      case ProposedFill::random:
        break;
    }
    return words + "random";
  }

  std::string words_of(const ProposedArgument& argument) const {
    if (!argument.buffer.empty())
      return "&" + argument.buffer +
             (argument.offset_bytes > 0 ? "+" + std::to_string(argument.offset_bytes) : "");
    if (argument.record) {
      std::string members;
      for (const ProposedArgument& member : argument.members)
        members += (members.empty() ? "" : ",") + words_of(member);
      return argument.members.empty() ? "?" : "struct:{" + members + "}";
    }
    return argument.type.empty() ? "?" : value_words(argument.type, argument.value.value);
  }

  static Dim3 shape(const std::array<Quantity, 3>& extents) {
    const auto extent = [](const Quantity& q) {
      return static_cast<std::int64_t>(std::clamp(std::floor(q.value), 1.0, 2147483647.0));
    };
    return {extent(extents[0]), extent(extents[1]), extent(extents[2])};
  }

  void add(const ProposedLaunch& proposed) {
    const KernelText& kernel = *program_.kernel(proposed.kernel);
    UserLaunch launch;
    launch.entry = kernel.plain ? kernel.name : proposed.instance;
    launch.launch.grid = shape(proposed.grid);
    launch.launch.block = shape(proposed.block);
    launch.launch.dynamic_shared_bytes =
        static_cast<std::int64_t>(std::max(0.0, proposed.shared.value));
    launch.launch.cooperative = proposed.cooperative;
    launch.line = proposed.line;
    std::vector<ReadValue> values;
    std::string grid, block;
    shape_text(launch.launch.grid, grid);
    shape_text(launch.launch.block, block);
    values.push_back({"grid " + grid + ", block " + block +
                          (launch.launch.dynamic_shared_bytes > 0 || proposed.shared.asked
                               ? ", " + std::to_string(launch.launch.dynamic_shared_bytes) +
                                     " bytes of dynamic shared memory"
                               : ""),
                      proposed.line == 0 ? "the text does not launch it" : "", proposed.line,
                      proposed.line == 0 || proposed.grid[0].asked || proposed.block[0].asked ||
                          proposed.shared.asked});
    if (is_guess(proposed.shared)) out_.guessed_sizes.push_back(shared_size_name(launch));
    for (std::size_t p = 0; p < proposed.arguments.size(); ++p) {
      launch.arguments.push_back(words_of(proposed.arguments[p]));
      add_value(kernel.parameters[p].name, proposed.arguments[p], launch.arguments.back(), values);
    }
    for (const ProposedConstant& constant : proposed.constants) {
      const ProposedBuffer* buffer = program_.buffer(constant.buffer);
      if (buffer == nullptr) continue;
      launch.variables.push_back(constant.symbol + "=" + words_of(*buffer));
      values.push_back({launch.variables.back(), buffer->fill.why, constant.line,
                        buffer->fill.asked || buffer->count.asked});
    }
    add_questions(proposed, values);
    out_.launches.push_back(std::move(launch));
    out_.values.push_back(std::move(values));
  }

  // A buffer is told once, where it is first passed.
  void add_value(const std::string& name, const ProposedArgument& argument,
                 const std::string& words, std::vector<ReadValue>& values) {
    if (argument.record) {
      for (std::size_t m = 0; m < argument.members.size(); ++m)
        add_value(name, argument.members[m], words_of(argument.members[m]), values);
      return;
    }
    const ProposedBuffer* buffer = program_.buffer(argument.buffer);
    if (buffer != nullptr) {
      if (!told_.insert(buffer->name).second) return;
      const std::string all = words_of(*buffer);
      const bool unset = all.ends_with(":unset");
      values.push_back({buffer->name + " = " + all, buffer->count.asked ? buffer->count.why : "",
                        buffer->count.asked ? 0 : buffer->count.line, buffer->count.asked});
      if (!unset)
        values.push_back({buffer->name + " begins as " + all.substr(all.find(':') + 1),
                          buffer->fill.asked ? "the text does not fill it" : "",
                          buffer->fill.asked ? buffer->line : buffer->fill.line,
                          buffer->fill.asked});
      return;
    }
    if (argument.type.empty()) return;
    const bool bytes = words.starts_with("bytes:");  // of a half
    values.push_back({name + " = " + (bytes ? number_text(argument.value.value) : shown(words)),
                      argument.value.why, argument.value.asked ? 0 : argument.value.line,
                      argument.value.asked});
  }

  // Those that no row above has.
  static void add_questions(const ProposedLaunch& proposed, std::vector<ReadValue>& values) {
    for (const Question& question : proposed.questions) {
      const bool shown_above = question.text.find("the size of ") == 0 ||
                               question.text.find("the value of ") == 0 ||
                               question.text.find("begins inside") != std::string::npos ||
                               question.text.find("does not launch it") != std::string::npos;
      if (!shown_above) values.push_back({question.text, "", question.line, true});
    }
  }

  // Whether a later launch reads what the i-th writes.
  bool feeds(std::size_t i) const {
    const auto written = uses(*chosen_[i], true);
    for (std::size_t later = i + 1; later < chosen_.size(); ++later) {
      for (const std::string& name : uses(*chosen_[later], false)) {
        if (written.count(name) != 0) return true;
      }
    }
    return false;
  }

  std::set<std::string> uses(const ProposedLaunch& launch, bool writes) const {
    const KernelText& kernel = *program_.kernel(launch.kernel);
    std::set<std::string> names;
    for (std::size_t p = 0; p < launch.arguments.size(); ++p) {
      const KernelParameter& use = kernel.parameters[p];
      const ProposedArgument& argument = launch.arguments[p];
      const bool wanted = writes ? use.written || use.atomic : use.read || use.atomic;
      if (!argument.buffer.empty() && wanted) names.insert(argument.buffer);
      if (argument.record) add_names(argument, names);
    }
    return names;
  }

  static void add_names(const ProposedArgument& argument, std::set<std::string>& names) {
    if (!argument.buffer.empty()) names.insert(argument.buffer);
    for (const ProposedArgument& member : argument.members) add_names(member, names);
  }

  HostProgram program_;
  std::vector<const ProposedLaunch*> chosen_;
  std::set<std::string> kept_, told_;
  ProgramLaunches out_;
};

const PtxKernel* find_kernel(const std::vector<PtxKernel>& kernels, const std::string& symbol) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const PtxKernel& k) { return k.symbol == symbol; });
  return found == kernels.end() ? nullptr : &*found;
}

// The element type of a parameter, by its kernel's name or accesses; "f32": neither says it.
std::string element_of(const PtxKernel* kernel, std::size_t parameter) {
  if (kernel == nullptr || parameter >= kernel->parameters.size()) return "f32";
  const std::string& element = kernel->parameters[parameter].element;
  return element.empty() ? "f32" : element;
}

Dim3 usual_block(const ListedKernel& listed) {
  constexpr std::int64_t kUsualThreads = 256;
  if (const auto& required = listed.required_block; required[0] > 0)
    return {required[0], std::max<std::int64_t>(1, required[1]),
            std::max<std::int64_t>(1, required[2])};
  const std::int64_t most = listed.most_threads > 0 ? listed.most_threads : kUsualThreads;
  return {std::min(kUsualThreads, most), 1, 1};
}

}  // namespace

ProgramLaunches program_launches(std::string_view text, const std::string& kernel,
                                 const HeaderTexts& headers) {
  return Reader(text, headers).all(kernel);
}

ProgramLaunches listed_launches(const std::vector<ListedKernel>& kernels, std::string_view ptx,
                                const std::string& kernel) {
  constexpr std::int64_t kOneSize = 1000, kSizeOfSeveral = 64;
  const std::vector<PtxKernel> in_ptx = ptx_kernels(ptx);
  ProgramLaunches out;
  for (const ListedKernel& listed : kernels) {
    if (!kernel.empty() && listed.name != kernel && listed.symbol != kernel) continue;
    if (out.launches.size() >= kMostLaunches) break;
    UserLaunch launch;
    launch.entry = listed.symbol;
    const PtxKernel* own_ptx = find_kernel(in_ptx, listed.symbol);
    const auto is_buffer = [](const ListedParameter& p) { return p.pointer || p.bytes == 8; };
    const auto is_size = [&](const ListedParameter& p) {
      return !is_buffer(p) && p.bytes == 4 && p.type.find('f') == std::string::npos;
    };
    const auto sizes = std::count_if(listed.parameters.begin(), listed.parameters.end(), is_size);
    const std::int64_t size = sizes > 1 ? kSizeOfSeveral : kOneSize;
    std::int64_t elements = size;
    for (std::ptrdiff_t s = 1; s < std::min<std::ptrdiff_t>(sizes, 3); ++s) elements *= size;
    launch.launch.block = usual_block(listed);
    const Dim3& block = launch.launch.block;
    const std::int64_t threads = block.x * block.y * block.z;
    launch.launch.grid = {std::max<std::int64_t>(1, (size + threads - 1) / threads), 1, 1};
    std::vector<ReadValue> values;
    std::string grid, shape;
    shape_text(launch.launch.grid, grid);
    shape_text(block, shape);
    const bool shared = own_ptx != nullptr && own_ptx->dynamic_shared;
    if (shared) out.guessed_sizes.push_back(shared_size_name(launch));
    values.push_back(
        {"grid " + grid + ", block " + shape + (shared ? ", 0 bytes of dynamic shared memory" : ""),
         "the text does not launch it", 0, true});
    for (std::size_t p = 0; p < listed.parameters.size(); ++p) {
      const ListedParameter& parameter = listed.parameters[p];
      const std::string name =
          parameter.name.empty() ? "argument_" + std::to_string(p + 1) : parameter.name;
      const std::string own = listed.name + "." + name;
      if (is_buffer(parameter)) {
        out.buffers.emplace_back(
            name + (out.launches.empty() ? "" : "_" + std::to_string(out.launches.size() + 1)),
            element_of(own_ptx, p) + "[" + std::to_string(elements) + "]:random");
        out.guessed_sizes.push_back(out.buffers.back().first);
        if (is_random_whole(out.buffers.back().second))
          out.guessed_contents.push_back(out.buffers.back().first);
        launch.arguments.push_back("&" + out.buffers.back().first);
        values.push_back({out.buffers.back().first + " = " + out.buffers.back().second,
                          "one element for each of the sizes", 0, true});
      } else {
        launch.arguments.push_back(is_size(parameter)     ? "i32:" + std::to_string(size)
                                   : parameter.bytes == 4 ? "f32:1"
                                                          : "?");
        values.push_back({name + " = " + shown(launch.arguments.back()), "a guess", 0, true});
      }
    }
    out.launches.push_back(std::move(launch));
    out.values.push_back(std::move(values));
  }
  return out;
}

}  // namespace warpscope
