// scenes/program/read_program.cpp: what a CUDA program says of its kernels' launches, without
// running it.
#include <algorithm>

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

HostProgram read_program(std::string_view whole) {
  using namespace program;
  HostProgram found;
  TokenText text = tokens_of(whole);
  found.cut = text.cut;
  const Declarations declarations = declarations_in(text);
  HostState state = host_state(text, declarations);
  for (const Function* function : declarations.named("main")) {
    if (!function->kernel && function->owner.empty()) follow(state, *function);
  }
  for (const Function& function : declarations.functions) {
    const bool host = !function.kernel && !state.followed.contains(&function);
    if (host && launches(text, function)) follow(state, function);
  }
  state.scopes.resize(1);
  for (const Function& function : declarations.functions) {
    const bool known =
        std::any_of(found.kernels.begin(), found.kernels.end(),
                    [&](const KernelText& kernel) { return kernel.name == function.name; });
    if (function.kernel && !known) found.kernels.push_back(kernel_text(state, function));
  }
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
