// scenes/program/proposals.cpp: launches with their buffers and questions, from what was followed.
#include "scenes/program/proposals.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "scenes/program/parameter_use.h"
#include "scenes/program/records/passed_value.h"

namespace warpscope::program {
namespace {

// A grid that would cover more elements than these per thread is made of sizes in another way.
constexpr double kMostPerThread = 64;
constexpr double kUsualThreads = 256, kTile = 16, kUsualSize = 64, kOnlySize = 4096;

Formula asked(const std::string& name, double value, const std::string& why, int line = 0) {
  return named(
      std::make_shared<NamedNumber>(NamedNumber{name, value, true, line, why, false, true, false}));
}

Quantity quantity(const Formula& formula, int line, const std::string& why) {
  Quantity found;
  found.line = line;
  found.why = why;
  if (!formula) {
    found.asked = true;
    return found;
  }
  found.value = formula->value;
  found.text = text_of(formula);
  return found;
}

bool is_name_of_a_scene(const std::string& name) {
  static const std::set<std::string, std::less<>> kTaken = {"i",
                                                            "nothing",
                                                            "min",
                                                            "max",
                                                            "ceil_div",
                                                            "round_up",
                                                            "floor",
                                                            "ceil",
                                                            "abs",
                                                            "sqrt",
                                                            "log2",
                                                            "exp",
                                                            "ln",
                                                            "uniform",
                                                            "below",
                                                            "compute_capability",
                                                            "multiprocessors",
                                                            "shared_bytes_per_block",
                                                            "l2_bytes",
                                                            "free_bytes",
                                                            "rint",
                                                            "sign",
                                                            "sum",
                                                            "avg",
                                                            "sin",
                                                            "cos",
                                                            "tan",
                                                            "log",
                                                            "log10"};
  return !kTaken.contains(name);
}

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0 || out[0] == '_')
    out = "n" + out;
  if (out.size() > 60) out.resize(60);
  return out;
}

std::string legal(const std::string& name) {
  const std::string out = identifier(name);
  return is_name_of_a_scene(out) ? out : out + "_value";
}

struct Roles {
  bool read = false, written = false;
};

class Proposer {
 public:
  Proposer(HostState& state, HostProgram& program) : state_(state), program_(program) {}

  void all() {
    std::vector<HostLaunch> launches;
    for (const bool reached : {true, false}) {
      for (HostLaunch& launch : state_.launches) {
        if (launch.reached == reached) launches.push_back(launch);
      }
    }
    for (const KernelText& kernel : program_.kernels) {
      const bool launched =
          std::any_of(launches.begin(), launches.end(),
                      [&](const HostLaunch& launch) { return launch.kernel == kernel.name; });
      if (!launched) launches.push_back(unlaunched(kernel));
    }
    for (HostLaunch& launch : launches) complete(launch);
    merge(launches);
    name_sizes(launches);
    for (const HostLaunch& launch : launches) add_launch(launch);
    for (std::size_t i = 0; i < buffer_memories_.size(); ++i) finish_buffer(i);
    for (ProposedLaunch& launch : program_.launches) ask(launch);
  }

 private:
  const KernelText& kernel_of(const HostLaunch& launch) const {
    return *program_.kernel(launch.kernel);
  }

  std::optional<Element> element_of_parameter(const HostLaunch& launch, std::size_t p) const {
    const std::string type = parameter_type(launch, p);
    return element_of(*state_.declarations, type);
  }

  // The type of a parameter with the instance's template arguments in place of their names.
  std::string parameter_type(const HostLaunch& launch, std::size_t p) const {
    const KernelText& kernel = kernel_of(launch);
    std::string type = kernel.parameters[p].type;
    const std::size_t open = launch.instance.find('<');
    if (open == std::string::npos) return type;
    std::vector<std::string> given;
    int depth = 0;
    std::string word;
    for (std::size_t i = open + 1; i < launch.instance.size(); ++i) {
      const char c = launch.instance[i];
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if ((c == ',' && depth == 0) || depth < 0) {
        given.push_back(std::exchange(word, {}));
      } else if (c != ' ' || !word.empty()) {
        word += c;
      }
    }
    Scope scope;
    for (std::size_t t = 0; t < std::min(given.size(), kernel.template_parameters.size()); ++t)
      scope.types[kernel.template_parameters[t]] = given[t];
    HostState bound;
    bound.scopes.push_back(std::move(scope));
    return replaced_type(bound, type);
  }

  // A launch that stands twice, to warm up and to measure, is one.
  static void merge(std::vector<HostLaunch>& launches) {
    const auto equal = [](const Formula& x, const Formula& y) { return (!x && !y) || same(x, y); };
    const auto alike = [&equal](const HostLaunch& a, const HostLaunch& b) {
      bool all = a.instance == b.instance && a.arguments.size() == b.arguments.size() &&
                 equal(a.shared, b.shared);
      for (std::size_t i = 0; i < 3; ++i)
        all = all && equal(a.grid[i], b.grid[i]) && equal(a.block[i], b.block[i]);
      for (std::size_t i = 0; all && i < a.arguments.size(); ++i)
        all = a.arguments[i].memory == b.arguments[i].memory &&
              equal(a.arguments[i].formula, b.arguments[i].formula);
      return all;
    };
    std::vector<HostLaunch> kept;
    for (HostLaunch& launch : launches) {
      if (std::none_of(kept.begin(), kept.end(),
                       [&](const HostLaunch& other) { return alike(other, launch); }))
        kept.push_back(std::move(launch));
    }
    launches = std::move(kept);
  }

  // A launch of a kernel that the text does not launch: whole numbers are sizes.
  HostLaunch unlaunched(const KernelText& kernel) {
    HostLaunch launch;
    launch.kernel = kernel.name;
    launch.instance = kernel.qualified;
    if (!kernel.template_parameters.empty()) {
      const Function* function = state_.declarations->kernel(kernel.name);
      launch.instance += "<";
      for (std::size_t t = 0; t < function->templates.size(); ++t) {
        const TemplateParameter& parameter = function->templates[t];
        std::string word = parameter.is_type ? "float" : "1";
        if (!parameter.initial.empty()) {
          const std::vector<std::string> initial = template_arguments(state_, parameter.initial);
          if (!initial.empty()) word = initial[0];
        }
        launch.instance += (t == 0 ? "" : ", ") + word;
      }
      launch.instance += ">";
    }
    launch.shared = whole_number(0);
    return launch;
  }

  // Arguments, grid and block that are not known get their defaults.
  void complete(HostLaunch& launch) {
    const KernelText& kernel = kernel_of(launch);
    launch.arguments.resize(kernel.parameters.size());
    launch.argument_names.resize(kernel.parameters.size());
    std::size_t whole = 0;
    const auto is_size = [&](std::size_t p) {
      const auto element = element_of_parameter(launch, p);
      return !kernel.parameters[p].pointer && element && element->count == 1 &&
             element->bytes > 2 && element->type.front() != 'f';
    };
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) whole += is_size(p) ? 1 : 0;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      Value& value = launch.arguments[p];
      const KernelParameter& parameter = kernel.parameters[p];
      if (is_size(p) && value.kind != Value::Kind::number && !value.null) {
        value = number_value(shared_size(parameter.name, whole > 1 ? kUsualSize : kOnlySize));
      } else if (parameter.pointer && value.kind != Value::Kind::memory && !value.null &&
                 value.kind != Value::Kind::element) {
        value = shared_memory(launch, p);
      }
    }
    complete_shape(launch, kernel);
  }

  Formula shared_size(const std::string& name, double value) {
    Formula& known = defaults_[name];
    if (!known)
      known = asked(name.empty() ? "n" : name, value, "a parameter that the text gives no value");
    return known;
  }

  Value shared_memory(const HostLaunch& launch, std::size_t p) {
    const KernelParameter& parameter = kernel_of(launch).parameters[p];
    std::string name = p < launch.argument_names.size() ? launch.argument_names[p] : "";
    if (name.empty())
      name = parameter.name.empty() ? "argument_" + std::to_string(p + 1) : parameter.name;
    const auto known = made_.find(name);
    if (known != made_.end()) return known->second;
    const std::string type = pointed_type(parameter_type(launch, p));
    return made_[name] = new_memory(state_, name, type, nullptr, launch.line, true);
  }

  void complete_shape(HostLaunch& launch, const KernelText& kernel) {
    const Formula one = whole_number(1);
    const bool no_block = !launch.block[0], no_grid = !launch.grid[0];
    const Formula size = launch_size(launch, kernel);
    if (no_block) {
      launch.block = {whole_number(kernel.by_rows ? kTile
                                                  : kernel.most_threads.value_or(
                                                        static_cast<int>(kUsualThreads))),
                      kernel.by_rows ? whole_number(kTile) : one, one};
      asked_block_.insert(launch.line == 0 ? launch.instance : std::to_string(launch.line));
    }
    if (no_grid) {
      const auto sizes = names_of(size);
      if (kernel.by_rows && sizes.size() > 1) {
        launch.grid = {
            call("ceil_div", {named(sizes.back()), launch.block[0]}),
            call("ceil_div", {named(sizes.front()), launch.block[1] ? launch.block[1] : one}), one};
      } else if (kernel.by_rows) {
        const Formula tiles = call("ceil_div", {size, launch.block[0]});
        launch.grid = {tiles, tiles, one};
      } else {
        launch.grid = {call("ceil_div", {size, launch.block[0]}), one, one};
      }
      asked_grid_.insert(launch.line == 0 ? launch.instance : std::to_string(launch.line));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!launch.grid[i]) launch.grid[i] = one;
      if (!launch.block[i]) launch.block[i] = one;
    }
  }

  // The product of the sizes that the kernel takes; a size of its own where it takes none.
  Formula launch_size(const HostLaunch& launch, const KernelText& kernel) {
    Formula product;
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
      const Value& value = launch.arguments[p];
      if (kernel.parameters[p].pointer || value.kind != Value::Kind::number || !value.formula ||
          !value.formula->whole || value.formula->value < 2)
        continue;
      product = product ? binary("*", product, value.formula) : value.formula;
    }
    return product ? product : shared_size("n", kOnlySize);
  }

  // One name a size: those of one name and one value are one.
  void name_sizes(const std::vector<HostLaunch>& launches) {
    for (const HostLaunch& launch : launches) {
      for (std::size_t i = 0; i < 3; ++i) {
        name_sizes(launch.grid[i]);
        name_sizes(launch.block[i]);
      }
      name_sizes(launch.shared);
      for (const Value& argument : launch.arguments) {
        if (argument.kind == Value::Kind::number) name_sizes(argument.formula);
        if (argument.memory < state_.memories.size())
          name_sizes(state_.memories[argument.memory].bytes);
      }
    }
    for (const Memory& memory : state_.memories) {
      if (!memory.symbol.empty()) name_sizes(memory.bytes);
    }
  }

  void name_sizes(const Formula& formula) {
    for (const auto& name : names_of(formula)) {
      if (!named_.insert(name.get()).second) continue;
      std::string word = legal(name->name);
      for (int number = 2; number < 100; ++number) {
        const auto known =
            std::find_if(program_.sizes.begin(), program_.sizes.end(),
                         [&word](const ProposedSize& size) { return size.name == word; });
        if (known == program_.sizes.end()) {
          program_.sizes.push_back(
              {word, name->value, name->whole, name->line, name->why, name->fixed, name->asked});
          break;
        }
        if (known->value == name->value) {
          known->fixed = known->fixed || name->fixed;
          known->asked = known->asked && name->asked;
          break;
        }
        word = legal(name->name) + "_" + std::to_string(number);
      }
      name->name = word;
    }
  }

  void add_launch(const HostLaunch& launch) {
    const KernelText& kernel = kernel_of(launch);
    ProposedLaunch out;
    out.kernel = launch.kernel;
    out.instance = launch.instance;
    out.line = launch.line;
    out.reached = launch.reached;
    out.cooperative = launch.cooperative;
    const std::string key = launch.line == 0 ? launch.instance : std::to_string(launch.line);
    for (std::size_t i = 0; i < 3; ++i) {
      out.grid[i] = quantity(launch.grid[i], launch.line, "");
      out.block[i] = quantity(launch.block[i], launch.line, "");
      out.grid[i].asked = asked_grid_.contains(key);
      out.block[i].asked = asked_block_.contains(key);
      use(out, launch.grid[i]);
      use(out, launch.block[i]);
    }
    out.shared = quantity(launch.shared, launch.line, "");
    if (out.shared.asked || (kernel.dynamic_shared && out.shared.value == 0))
      out.shared.asked = kernel.dynamic_shared;
    if (out.shared.text.empty()) out.shared.text = "0";
    use(out, launch.shared);
    for (std::size_t p = 0; p < kernel.parameters.size(); ++p) add_argument(launch, p, out);
    add_constants(launch, out);
    program_.launches.push_back(std::move(out));
  }

  static void use(ProposedLaunch& launch, const Formula& formula) {
    for (const auto& name : names_of(formula)) {
      if (std::find(launch.sizes.begin(), launch.sizes.end(), name->name) == launch.sizes.end())
        launch.sizes.push_back(name->name);
    }
  }

  void add_argument(const HostLaunch& launch, std::size_t p, ProposedLaunch& out) {
    const KernelParameter& parameter = kernel_of(launch).parameters[p];
    const std::string type = parameter_type(launch, p);
    const auto passed = passed_value(state_, parameter.name, type, launch.arguments[p]);
    if (passed) {
      const bool reads = parameter.read || (!parameter.written && !parameter.atomic);
      out.arguments.push_back(argument_for(*passed, {reads, parameter.written}, launch, out));
      return;
    }
    const bool memory = launch.arguments[p].memory < state_.memories.size();
    if (parameter.pointer && memory) {  // to what the text does not declare
      PassedValue pointer{parameter.name, type, launch.arguments[p]};
      pointer.pointer = true;
      out.arguments.push_back(argument_for(pointer, {true, !parameter.constant}, launch, out));
      return;
    }
    out.arguments.emplace_back();
    out.questions.push_back({parameter.name,
                             parameter.name + " is a " + parameter.type +
                                 ", which the text does not declare: its bytes are zeros",
                             launch.line});
  }

  ProposedArgument argument_for(const PassedValue& passed, const Roles& roles,
                                const HostLaunch& launch, ProposedLaunch& out) {
    ProposedArgument argument;
    const Value& value = passed.value;
    if (passed.record) {
      argument.record = true;
      for (const PassedValue& member : passed.members) {
        const bool constant = member.type.find("const") != std::string::npos;
        argument.members.push_back(argument_for(member, {true, !constant}, launch, out));
      }
    } else if (passed.pointer && value.null) {
      argument.type = "i64";
      argument.value = {0, "0", launch.line, "a null pointer", false};
    } else if (passed.pointer) {
      const std::size_t memory = value.memory < state_.memories.size()
                                     ? value.memory
                                     : unknown_memory(passed, launch).memory;
      argument.buffer = buffer_for(memory, launch, passed, roles);
      use(out, state_.memories[memory].bytes);
      if (value.formula && value.formula->value != 0 && value.memory == memory) {
        const auto bytes = passed.element ? passed.element->bytes : 1;
        argument.value = quantity(value.formula, launch.line, "");
        argument.offset_bytes = static_cast<std::int64_t>(value.formula->value) * bytes;
        out.questions.push_back({argument.buffer,
                                 passed.name + " begins inside " + argument.buffer +
                                     ", at element " + text_of(value.formula) +
                                     "; a description has it begin at the first",
                                 launch.line});
      }
    } else {
      argument.type = passed.element->type;
      const Formula formula = value.kind == Value::Kind::number ? value.formula : nullptr;
      name_sizes(formula);
      argument.value = quantity(formula, launch.line, "");
      if (argument.value.asked) {
        argument.value.value = 1;
        argument.value.text = "1";
        out.questions.push_back(
            {passed.name, "the value of " + passed.name + " is not known: 1 is used", launch.line});
      }
      use(out, formula);
    }
    return argument;
  }

  // For a pointer in a structure that the text gives no memory.
  Value unknown_memory(const PassedValue& passed, const HostLaunch& launch) {
    const auto known = made_.find(passed.name);
    if (known != made_.end()) return known->second;
    return made_[passed.name] = new_memory(state_, identifier(passed.name),
                                           pointed_type(passed.type), nullptr, launch.line, true);
  }

  std::string buffer_for(std::size_t memory, const HostLaunch& launch, const PassedValue& passed,
                         const Roles& roles) {
    const auto known = std::find(buffer_memories_.begin(), buffer_memories_.end(), memory);
    const auto place = static_cast<std::size_t>(known - buffer_memories_.begin());
    if (known == buffer_memories_.end()) {
      ProposedBuffer buffer;
      std::string name =
          legal(state_.memories[memory].name.empty() ? passed.name : state_.memories[memory].name);
      const std::string base = name;
      for (int number = 2; program_.buffer(name) != nullptr && number < 1000; ++number)
        name = base + "_" + std::to_string(number);
      buffer.name = name;
      buffer.line = state_.memories[memory].line;
      const auto own = element_of(*state_.declarations, state_.memories[memory].type);
      elements_.push_back(own ? own : passed.element);
      buffer.type = elements_.back() ? elements_.back()->type : "u8";
      program_.buffers.push_back(std::move(buffer));
      buffer_memories_.push_back(memory);
      uses_.emplace_back();
      first_.push_back(launch);
    }
    uses_[place].read = uses_[place].read || roles.read;
    uses_[place].written = uses_[place].written || roles.written;
    return program_.buffers[place].name;
  }

  // Count, role and first content, when all launches are known.
  void finish_buffer(std::size_t place) {
    ProposedBuffer& buffer = program_.buffers[place];
    const Memory& memory = state_.memories[buffer_memories_[place]];
    const int bytes = elements_[place] ? elements_[place]->bytes / elements_[place]->count : 1;
    Formula count = divided(memory.bytes, bytes);
    if (!count) count = binary("/", memory.bytes, whole_number(bytes));
    buffer.count = quantity(count, memory.line, "line " + std::to_string(memory.line));
    if (!count || count->value < 1) {
      const HostLaunch& launch = first_[place];
      // No element of a type that the text does not say is larger than this.
      constexpr int kBytesOfUnknown = 16;
      Formula threads = whole_number(elements_[place] ? elements_[place]->count : kBytesOfUnknown);
      for (std::size_t i = 0; i < 3; ++i)
        threads = binary("*", threads, binary("*", launch.grid[i], launch.block[i]));
      Formula size = known_size(launch);
      const Formula covered = covered_size(launch);
      if (!size && covered && covered->value > threads->value &&
          covered->value <= kMostPerThread * threads->value)
        size = covered;
      buffer.count = quantity(size ? size : threads, 0,
                              size               ? "the product of the sizes"
                              : elements_[place] ? "one element per thread"
                                                 : "16 bytes per thread: its type is not known");
      buffer.count.asked = true;
    }
    const Roles& use = uses_[place];
    buffer.role = use.read && use.written ? ProposedRole::state
                  : use.written           ? ProposedRole::output
                                          : ProposedRole::input;
    buffer.fill = memory.fill;
    buffer.copied_back = memory.copied_back;
    if (buffer.fill.value == ProposedFill::unset && buffer.role != ProposedRole::output) {
      buffer.fill.value =
          buffer.role == ProposedRole::state ? ProposedFill::zero : ProposedFill::random;
      buffer.fill.asked = true;
      buffer.fill.why = "the text does not fill it";
    }
  }

  // For a kernel that is not launched: the product of its sizes.
  Formula known_size(const HostLaunch& launch) {
    return launch.line == 0 ? launch_size(launch, kernel_of(launch)) : nullptr;
  }

  // The product of the sizes that the grid covers: its blocks may take many elements per thread.
  static Formula covered_size(const HostLaunch& launch) {
    std::set<std::string> taken;
    for (const Formula& threads : launch.block) {
      for (const auto& name : names_of(threads)) taken.insert(name->name);
    }
    Formula product;
    for (const Formula& blocks : launch.grid) {
      for (const auto& name : names_of(blocks)) {
        if (name->fixed || !name->whole || !taken.insert(name->name).second) continue;
        product = product ? binary("*", product, named(name)) : named(name);
      }
    }
    return product;
  }

  void add_constants(const HostLaunch& launch, ProposedLaunch& out) {
    const auto words = words_of_kernel(*state_.text, *state_.declarations, launch.kernel);
    for (std::size_t m = 0; m < state_.memories.size(); ++m) {
      const Memory& memory = state_.memories[m];
      // If the text has no main, another file gives a constant its values.
      const bool elsewhere = memory.unset_constant && memory.bytes && is_part_;
      if (memory.symbol.empty() || (!memory.set && !elsewhere) || !words.contains(memory.symbol))
        continue;
      out.constants.push_back({memory.symbol, constant_buffer(m, launch), memory.line});
      use(out, memory.bytes);
    }
  }

  std::string constant_buffer(std::size_t memory, const HostLaunch& launch) {
    const auto known = std::find(buffer_memories_.begin(), buffer_memories_.end(), memory);
    if (known != buffer_memories_.end())
      return program_.buffers[static_cast<std::size_t>(known - buffer_memories_.begin())].name;
    ProposedBuffer buffer;
    buffer.name = identifier(state_.memories[memory].symbol);
    while (program_.buffer(buffer.name) != nullptr) buffer.name += "_constant";
    elements_.push_back(element_of(*state_.declarations, state_.memories[memory].type));
    buffer.type = elements_.back() ? elements_.back()->type : "u8";
    program_.buffers.push_back(buffer);
    buffer_memories_.push_back(memory);
    uses_.emplace_back();
    first_.push_back(launch);
    return buffer.name;
  }

  void ask(ProposedLaunch& launch) {
    const auto add = [&launch](const std::string& about, const std::string& text, int line) {
      launch.questions.push_back({about, text, line});
    };
    if (launch.line == 0)
      add(launch.kernel, "the text does not launch it: grid and block are guesses", 0);
    if (launch.line != 0 && launch.grid[0].asked)
      add("grid", "the grid is not known: enough blocks for the sizes are proposed", launch.line);
    if (launch.line != 0 && launch.block[0].asked)
      add("block", "the block is not known", launch.line);
    if (launch.shared.asked)
      add("shared", "the kernel has an extern __shared__ array: how many bytes?", launch.line);
    for (const std::string& name : launch.sizes) {
      for (const ProposedSize& size : program_.sizes) {
        if (size.name == name && (size.asked || size.why.starts_with("the default;")))
          add(name, name + " is " + size.why, size.line);
      }
    }
    for (const ProposedArgument& argument : launch.arguments) {
      const ProposedBuffer* buffer = program_.buffer(argument.buffer);
      if (buffer == nullptr) continue;
      if (buffer->count.asked)
        add(buffer->name,
            "the size of " + buffer->name + " is not known: " + buffer->count.why + " is proposed",
            buffer->line);
    }
  }

  HostState& state_;
  HostProgram& program_;
  const bool is_part_ = state_.declarations->named("main").empty();
  std::map<std::string, Formula> defaults_;
  std::map<std::string, Value> made_;
  std::set<std::string> asked_grid_, asked_block_;
  std::set<const NamedNumber*> named_;
  std::vector<std::size_t> buffer_memories_;  // of program_.buffers, by place
  std::vector<std::optional<Element>> elements_;
  std::vector<Roles> uses_;
  std::vector<HostLaunch> first_;
};

}  // namespace

void propose(HostState& state, HostProgram& program) { Proposer(state, program).all(); }

}  // namespace warpscope::program
