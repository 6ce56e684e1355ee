// profiling/engine/compile/steps/loaded_modules.h: which loaded modules an engine keeps, and how
// many.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "profiling/engine/compile/compiler.h"

namespace warpscope {

// A module with its machine code. `held` unloads the module when nobody holds it any more: a kernel
// of it that is bound to a step holds it too.
struct LoadedModule {
  std::shared_ptr<void> held;  // the CUmodule
  std::string log, hash, text_hash;
  std::shared_ptr<const std::string> cubin;
};

// Keeps the modules that were used last. A driver needs several times a module's machine code for
// it, and an engine that runs for days sees thousands of them.
class LoadedModules {
 public:
  static constexpr std::size_t kMostModules = 128;
  static constexpr std::int64_t kMostBytes = 64 << 20;  // of machine code

  // Null if it is not kept. What it points to lives until the next `keep`.
  const LoadedModule* find(const std::string& compile_hash);
  bool contains(const std::string& compile_hash) const { return modules_.contains(compile_hash); }
  // Lets go of the module that the same request had with another text, and of those that were not
  // used for the longest time while there are too many; never of the one that is given.
  const LoadedModule& keep(const CompileRequest& request, const std::string& compile_hash,
                           LoadedModule module);
  std::size_t size() const { return modules_.size(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Kept {
    LoadedModule module;
    CompileRequest request;
    std::uint64_t used = 0;
  };
  void let_go(std::map<std::string, Kept>::iterator which);

  std::map<std::string, Kept> modules_;             // by compile_hash
  std::map<CompileRequest, std::string> requests_;  // the hash of what each one has now
  std::int64_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace warpscope
