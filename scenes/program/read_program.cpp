// scenes/program/read_program.cpp: what a CUDA program says of its kernels' launches, without
// running it.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scenes/program/declarations.h"
#include "scenes/program/host_state.h"
#include "scenes/program/parameter_use.h"
#include "scenes/program/program.h"
#include "scenes/program/proposals.h"

namespace warpscope {
namespace program {
namespace {

bool launches(const TokenText& text, const Function& function) {
  for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
    if (text[i].is("<<<") || text[i].text.starts_with("cudaLaunch")) return true;
  }
  return false;
}

// Whether it allocates or fills memory of the device.
bool prepares(const TokenText& text, const Function& function) {
  for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
    if (text[i].text.starts_with("cudaMalloc") || text[i].text.starts_with("cudaMemcpyToSymbol"))
      return true;
  }
  return false;
}

// The host functions of the text, and which of them each one calls.
class Calls {
 public:
  Calls(const TokenText& text, const Declarations& declarations) {
    for (const Function& function : declarations.functions) {
      // A device function of the same name as a host function calls another one: cg::reduce.
      if (function.kernel || function.device) continue;
      if (function.line > 0) functions_.push_back(&function);  // not a header's
      std::set<const Function*>& called = called_[&function];
      for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
        if (!text[i].is_name() || !(text[i + 1].is("(") || text[i + 1].is("<"))) continue;
        for (const Function* other : declarations.named(text[i].text)) {
          if (!other->kernel && other != &function) called.insert(other);
        }
      }
      if (launches(text, function)) launching_.insert(&function);
      if (prepares(text, function)) preparing_.insert(&function);
    }
    for (bool grows = true; grows;) {
      const std::size_t before = launching_.size();
      for (const auto& [function, called] : called_) {
        if (std::any_of(called.begin(), called.end(),
                        [this](const Function* each) { return launching_.contains(each); }))
          launching_.insert(function);
      }
      grows = launching_.size() > before;
    }
  }

  // Those that nothing calls and that prepare what others launch with; those that lead to launches,
  // the ones that nothing calls first: what they pass to others is known better.
  std::vector<const Function*> in_order() const {
    std::vector<const Function*> all;
    const auto take = [&](const auto& wanted) {
      for (const Function* function : functions_) {
        if (wanted(function) && std::find(all.begin(), all.end(), function) == all.end())
          all.push_back(function);
      }
    };
    take([this](const Function* f) {
      return preparing_.contains(f) && !launching_.contains(f) && is_first(f);
    });
    take([this](const Function* f) { return launching_.contains(f) && is_first(f); });
    take([this](const Function* f) { return launching_.contains(f); });
    return all;
  }

 private:
  bool is_first(const Function* function) const {
    return std::none_of(called_.begin(), called_.end(),
                        [&](const auto& row) { return row.second.contains(function); });
  }
  std::vector<const Function*> functions_;
  std::map<const Function*, std::set<const Function*>> called_;
  std::set<const Function*> launching_, preparing_;
};

KernelText kernel_text(HostState& state, const Function& function) {
  const TokenText& text = *state.text;
  KernelText kernel;
  kernel.name = function.name;
  kernel.qualified = function.space + function.name;
  kernel.line = function.line;
  kernel.plain = function.plain;
  for (const TemplateParameter& parameter : function.templates)
    kernel.template_parameters.push_back(parameter.name);
  const std::vector<Use> uses = parameter_uses(text, *state.declarations, function);
  for (std::size_t p = 0; p < function.parameters.size(); ++p) {
    const DeclaredParameter& declared = function.parameters[p];
    KernelParameter parameter;
    parameter.type = declared.type;
    parameter.name = declared.name;
    parameter.shape = declared.shape;
    parameter.pointer = declared.type.find('*') != std::string::npos;
    const std::string first = declared.type.substr(0, declared.type.find('*'));
    parameter.constant = first.find("const") != std::string::npos;
    if (const auto element = element_of(*state.declarations, declared.type)) {
      parameter.element = element->type;
      parameter.elements = element->count;
    }
    parameter.read = uses[p].read;
    parameter.written = uses[p].written && !parameter.constant;
    parameter.atomic = uses[p].atomic && !parameter.constant;
    kernel.parameters.push_back(std::move(parameter));
  }
  if (function.bounds) {
    const std::vector<Part> parts = parts_of(text, *function.bounds, false);
    const Value value = parts.empty() ? Value{} : evaluate(state, parts[0]);
    if (value.kind == Value::Kind::number && value.formula && value.formula->value >= 1 &&
        value.formula->value <= 1024)
      kernel.most_threads = static_cast<int>(value.formula->value);
  }
  for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
    if (text[i].is("extern") && (text[i + 1].is("__shared__") || text[i + 2].is("__shared__")))
      kernel.dynamic_shared = true;
    const bool row = text[i].is(".") && text[i + 1].is("y");
    if (row && (text[i - 1].is("threadIdx") || text[i - 1].is("blockIdx"))) kernel.by_rows = true;
  }
  return kernel;
}

// Constants that device code names keep their values: it is compiled with them.
void fix_device_constants(HostState& state) {
  const TokenText& text = *state.text;
  std::set<std::string, std::less<>> seen;
  for (const Function& function : state.declarations->functions) {
    if (!function.kernel && !function.device) continue;
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
      if (!text[i].is_name() || !seen.insert(text[i].text).second) continue;
      state.scopes.resize(1);
      const std::size_t place = find_variable(state, text[i].text);
      if (place == kNone || place >= state.variables.size()) continue;
      for (const auto& name : names_of(state.variables[place].value.formula)) name->fixed = true;
    }
  }
}

}  // namespace
}  // namespace program

namespace program {
namespace {

// Follows the text's functions, with what an earlier reading wished for.
HostState followed(TokenText& text, const Declarations& declarations,
                   const std::map<std::string, double, std::less<>>& wanted) {
  HostState state = host_state(text, declarations);
  state.wanted = wanted;
  const std::vector<const Function*> mains = declarations.named("main");
  for (const Function* function : mains) {
    if (!function->kernel && function->owner.empty()) follow(state, *function);
  }
  for (const Function* function : Calls(text, declarations).in_order()) {
    const bool only_prepares = !mains.empty() && !launches(text, *function);
    if (!only_prepares && !state.followed.contains(function)) follow(state, *function);
  }
  state.scopes.resize(1);
  return state;
}

}  // namespace
}  // namespace program

HostProgram read_program(std::string_view whole, const HeaderTexts& headers) {
  using namespace program;
  HostProgram found;
  TokenText text = tokens_of(whole, headers), again = text;
  found.cut = text.cut;
  const Declarations declarations = declarations_in(text);
  HostState state = followed(text, declarations, {});
  if (!state.wished.empty()) {
    const auto wished = std::exchange(state.wished, {});
    state = followed(again, declarations, wished);
  }
  const auto is_launched = [&](const Function& function) {
    return std::any_of(state.launches.begin(), state.launches.end(),
                       [&](const HostLaunch& each) { return each.kernel == function.name; });
  };
  const bool own = std::any_of(declarations.functions.begin(), declarations.functions.end(),
                               [](const Function& f) { return f.kernel && f.line > 0; });
  for (const Function& function : declarations.functions) {
    const bool known =
        std::any_of(found.kernels.begin(), found.kernels.end(),
                    [&](const KernelText& kernel) { return kernel.name == function.name; });
    // Kernels of headers that the text does not launch are not its own.
    const bool meant = function.line > 0 || (own && is_launched(function));
    if (function.kernel && !known && meant) found.kernels.push_back(kernel_text(state, function));
  }
  std::erase_if(state.launches,
                [&](const HostLaunch& each) { return found.kernel(each.kernel) == nullptr; });
  fix_device_constants(state);
  propose(state, found);
  return found;
}

const KernelText* HostProgram::kernel(std::string_view name) const {
  for (const KernelText& each : kernels) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const ProposedBuffer* HostProgram::buffer(std::string_view name) const {
  for (const ProposedBuffer& each : buffers) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace warpscope
