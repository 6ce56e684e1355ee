// workbench/commands/files/compiled_kernels.cpp: the kernels of a compiled file on standard output.
#include "workbench/commands/files/compiled_kernels.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/binaries/compiled_occupancy.h"
#include "profiling/figures/metric.h"
#include "scenes/base/plural.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/host/program.h"
#include "workbench/client/own_binary.h"

namespace warpscope {
namespace {

std::string bytes_text(std::int64_t bytes, const char* of) {
  return ", " + grouped(bytes) + " " + noun(bytes, "byte") + of;
}

std::string all_of(const std::vector<CodeTarget>& targets, std::string (*name)(const CodeTarget&)) {
  std::string text;
  for (const CodeTarget& target : targets) text += (text.empty() ? "" : ", ") + name(target);
  return text;
}

void print_parameters(const NamedKernel& kernel) {
  const auto types = kernel.name.types.value_or(std::vector<std::string>());
  if (kernel.compiled.empty()) {
    for (const std::string& type : types) std::printf("  %s\n", visible_name(type).c_str());
    return;
  }
  // They are the same for every architecture: a launch passes one set.
  const std::vector<BinaryParameter>& parameters = kernel.compiled.back().code.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const BinaryParameter& p = parameters[k];
    const std::string type =
        types.size() == parameters.size() ? types[k] : "parameter " + std::to_string(k);
    std::printf("  %s%s at offset %s\n", visible_name(type).c_str(),
                bytes_text(p.bytes, "").c_str(), grouped(p.offset).c_str());
  }
}

void print_machine_code(const CompiledKernel& compiled, std::int64_t threads) {
  const BinaryKernel& code = compiled.code;
  std::string line = machine_name(compiled.target) + ": " + plural(code.registers, "register");
  line += bytes_text(code.static_shared_bytes, " of static shared memory");
  line += bytes_text(code.constant_bytes, " of constants for the launch");
  if (compiled.variables_bytes > 0)
    line += bytes_text(compiled.variables_bytes, " of __constant__ variables in its module");
  if (code.local_bytes > 0) line += bytes_text(code.local_bytes, " of stack per thread");
  line += bytes_text(code.code_bytes, " of code");
  std::printf("  %s\n", line.c_str());
  if (code.required_block[0] > 0) {
    std::printf("    block: (%s, %s, %s), no other\n", grouped(code.required_block[0]).c_str(),
                grouped(code.required_block[1]).c_str(), grouped(code.required_block[2]).c_str());
  } else if (code.most_threads > 0) {
    std::printf("    block: at most %s threads\n", grouped(code.most_threads).c_str());
  }
  if (const auto found = occupancy_of(compiled, threads)) {
    std::printf("    occupancy: %.0f %% with %s threads per block, limited by %s\n",
                100 * found->occupancy.ratio, grouped(found->threads).c_str(),
                to_text(found->occupancy.limit));
  } else {
    std::printf("    occupancy: not known for this architecture or this block\n");
  }
  if (compiled.relocatable)
    std::printf("    not linked yet: registers and stack are those of this object alone\n");
  std::string externs;
  for (const std::string& name : code.externs)
    externs += (externs.empty() ? "" : ", ") + demangled(name);
  if (!externs.empty()) std::printf("    calls: %s\n", visible_name(externs).c_str());
}

nlohmann::json json_of(const CompiledKernel& compiled, std::int64_t threads) {
  const BinaryKernel& code = compiled.code;
  nlohmann::json object = {{"architecture", machine_name(compiled.target)},
                           {"registers", code.registers},
                           {"barriers", code.barriers},
                           {"shared_bytes", code.static_shared_bytes},
                           {"constant_bytes", code.constant_bytes},
                           {"variables_bytes", compiled.variables_bytes},
                           {"local_bytes", code.local_bytes},
                           {"code_bytes", code.code_bytes},
                           {"parameter_bytes", code.parameter_bytes},
                           {"linked", !compiled.relocatable},
                           {"externs", code.externs},
                           {"parameters", nlohmann::json::array()}};
  for (const BinaryParameter& p : code.parameters)
    object["parameters"].push_back({{"offset", p.offset}, {"bytes", p.bytes}});
  if (code.required_block[0] > 0) object["required_block"] = code.required_block;
  if (code.cluster[0] > 0) object["cluster"] = code.cluster;
  if (code.most_threads > 0) object["most_threads"] = code.most_threads;
  if (const auto found = occupancy_of(compiled, threads)) {
    object["occupancy"] = {{"block_threads", found->threads},
                           {"ratio", found->occupancy.ratio},
                           {"blocks", found->occupancy.blocks},
                           {"limited_by", to_text(found->occupancy.limit)}};
  }
  return object;
}

nlohmann::json names_of(const std::vector<CodeTarget>& targets,
                        std::string (*name)(const CodeTarget&)) {
  nlohmann::json names = nlohmann::json::array();
  for (const CodeTarget& target : targets) names.push_back(name(target));
  return names;
}

}  // namespace

void print_compiled_kernels(const BinaryFile& file, const std::string& path, std::int64_t threads) {
  std::printf("%s: %s, %zu kernel%s", visible_name(path).c_str(), to_text(file.kind),
              file.kernels.size(), file.kernels.size() == 1 ? "" : "s");
  if (!file.machine.empty())
    std::printf("; machine code for %s", all_of(file.machine, machine_name).c_str());
  if (!file.ptx.empty()) std::printf("; PTX for %s", all_of(file.ptx, ptx_name).c_str());
  std::printf("\n");
  for (const NamedKernel& kernel : file.kernels) {
    std::printf("%s\n", visible_name(kernel.name.name).c_str());
    print_parameters(kernel);
    for (const CompiledKernel& compiled : kernel.compiled) print_machine_code(compiled, threads);
    const bool emulated =
        std::any_of(kernel.compiled.begin(), kernel.compiled.end(), [](const CompiledKernel& c) {
          return is_emulated_machine_code(c.target.compute_capability);
        });
    std::printf("  PTX: %s\n", !kernel.ptx.empty() ? all_of(kernel.ptx, ptx_name).c_str()
                               : emulated          ? "none, so its machine code is emulated"
                                                   : "none, so it cannot be emulated");
  }
  for (const std::string& what : file.not_read)
    std::printf("not read: %s\n", visible_name(what).c_str());
}

void print_compiled_kernels_json(const BinaryFile& file, const std::string& path,
                                 std::int64_t threads) {
  nlohmann::json object = {{"file", path},
                           {"kind", to_text(file.kind)},
                           {"machine_code", names_of(file.machine, machine_name)},
                           {"ptx", names_of(file.ptx, ptx_name)},
                           {"not_read", file.not_read},
                           {"kernels", nlohmann::json::array()}};
  for (const NamedKernel& kernel : file.kernels) {
    nlohmann::json row = {{"name", kernel.name.name},
                          {"symbol", kernel.symbol},
                          {"ptx", names_of(kernel.ptx, ptx_name)},
                          {"machine_code", nlohmann::json::array()}};
    if (kernel.name.types) row["types"] = *kernel.name.types;
    for (const CompiledKernel& compiled : kernel.compiled)
      row["machine_code"].push_back(json_of(compiled, threads));
    object["kernels"].push_back(std::move(row));
  }
  std::printf("%s\n",
              object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

bool has_emulated_machine_code(const std::string& path) {
  if (kind_of_file(path) == BinaryKind::none) return false;
  const Result<BinaryFile> file = read_own_binary(path);
  return file && emulated_machine_code(file->machine) != 0;
}

bool list_machine_code_alone(const std::string& path, bool as_json) {
  constexpr std::int64_t kUsualThreads = 256;
  if (kind_of_file(path) == BinaryKind::none) return false;
  const Result<BinaryFile> file = read_own_binary(path);
  if (!file || file->kernels.empty() || !file->ptx.empty()) return false;
  if (as_json) {
    print_compiled_kernels_json(*file, path, kUsualThreads);
  } else {
    print_compiled_kernels(*file, path, kUsualThreads);
  }
  std::fflush(stdout);
  std::fprintf(stderr,
               "warpscope: %s has machine code alone, and emulation needs PTX or machine code for "
               "%s: compile it with nvcc -gencode arch=compute_90,code=compute_90\n",
               visible_name(path).c_str(), kEmulatedMachineCodeNames);
  return true;
}

}  // namespace warpscope
