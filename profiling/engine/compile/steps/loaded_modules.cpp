// profiling/engine/compile/steps/loaded_modules.cpp: lets go of modules that were not used for
// long.
#include "profiling/engine/compile/steps/loaded_modules.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

std::int64_t bytes_of(const LoadedModule& module) {
  return module.cubin ? static_cast<std::int64_t>(module.cubin->size()) : 0;
}

}  // namespace

const LoadedModule* LoadedModules::find(const std::string& compile_hash) {
  const auto found = modules_.find(compile_hash);
  if (found == modules_.end()) return nullptr;
  found->second.used = ++uses_;
  return &found->second.module;
}

void LoadedModules::let_go(std::map<std::string, Kept>::iterator which) {
  bytes_ -= bytes_of(which->second.module);
  const auto request = requests_.find(which->second.request);
  if (request != requests_.end() && request->second == which->first) requests_.erase(request);
  modules_.erase(which);
}

const LoadedModule& LoadedModules::keep(const CompileRequest& request,
                                        const std::string& compile_hash, LoadedModule module) {
  const auto last = requests_.find(request);
  if (last != requests_.end()) let_go(modules_.find(last->second));
  requests_[request] = compile_hash;
  bytes_ += bytes_of(module);
  const auto made =
      modules_.insert_or_assign(compile_hash, Kept{std::move(module), request, ++uses_}).first;
  const auto used_before = [](const auto& a, const auto& b) {
    return a.second.used < b.second.used;
  };
  while (modules_.size() > 1 && (modules_.size() > kMostModules || bytes_ > kMostBytes))
    let_go(std::min_element(modules_.begin(), modules_.end(), used_before));
  return made->second.module;
}

}  // namespace warpscope
