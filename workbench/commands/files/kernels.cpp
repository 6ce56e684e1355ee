// workbench/commands/files/kernels.cpp: the kernels of a source or compiled file and what they
// take.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "scenes/base/plural.h"
#include "scenes/host/program.h"
#include "workbench/client/own_binary.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/compiled_kernels.h"
#include "workbench/commands/files/kernel_file.h"

namespace warpscope {
namespace {

struct KernelsOptions {
  EngineChoice engine;
  KernelFile file;
  std::string kernel;
  std::int64_t block_threads = 256;
  bool json = false;
};

std::string size_text(std::int64_t bytes) { return plural(bytes, "byte"); }

std::string shape_text(const std::array<std::int64_t, 3>& extents) {
  return std::to_string(extents[0]) + ", " + std::to_string(extents[1]) + ", " +
         std::to_string(extents[2]);
}

void print_kernel(const ListedKernel& kernel) {
  std::printf("%s\n", visible_name(kernel.name).c_str());
  for (const ListedParameter& p : kernel.parameters) {
    const std::string type = p.type + (p.name.empty() ? "" : " " + p.name);
    std::printf("  %s, %s%s\n", visible_name(type).c_str(), size_text(p.bytes).c_str(),
                p.pointer && !p.type.ends_with('*') ? ", a pointer" : "");
  }
  if (kernel.shared_bytes > 0)
    std::printf("  static shared memory: %s\n", size_text(kernel.shared_bytes).c_str());
  if (kernel.dynamic_shared) std::printf("  dynamic shared memory: its size is the launch's\n");
  if (kernel.required_block[0] > 0) {
    std::printf("  block: (%s), no other\n", shape_text(kernel.required_block).c_str());
  } else if (kernel.most_threads > 0) {
    std::printf("  block: at most %lld threads\n", static_cast<long long>(kernel.most_threads));
  }
}

nlohmann::json json_of(const ListedKernel& kernel) {
  nlohmann::json object = {{"name", kernel.name},
                           {"symbol", kernel.symbol},
                           {"parameters", nlohmann::json::array()},
                           {"shared_bytes", kernel.shared_bytes},
                           {"dynamic_shared", kernel.dynamic_shared}};
  for (const ListedParameter& p : kernel.parameters) {
    nlohmann::json parameter = {{"type", p.type}, {"bytes", p.bytes}, {"pointer", p.pointer}};
    if (!p.name.empty()) parameter["name"] = p.name;
    object["parameters"].push_back(std::move(parameter));
  }
  if (kernel.required_block[0] > 0) object["required_block"] = kernel.required_block;
  if (kernel.most_threads > 0) object["most_threads"] = kernel.most_threads;
  return object;
}

void print_listing(const Listing& listing, bool as_json) {
  if (as_json) {
    nlohmann::json object = {{"file", listing.source},
                             {"compiler", listing.toolkit},
                             {"kernels", nlohmann::json::array()}};
    for (const ListedKernel& kernel : listing.kernels) object["kernels"].push_back(json_of(kernel));
    std::printf("%s\n",
                object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  const std::string made = listing.toolkit.empty() ? "PTX" : "compiled by " + listing.toolkit;
  std::printf("%s: %s, %zu kernel%s\n", visible_name(listing.source).c_str(), made.c_str(),
              listing.kernels.size(), listing.kernels.size() == 1 ? "" : "s");
  for (const ListedKernel& kernel : listing.kernels) print_kernel(kernel);
}

int run_compiled(const KernelsOptions& options) {
  Result<BinaryFile> file = read_own_binary(options.file.path);
  if (!file) return fail(file.error());
  if (!options.kernel.empty()) {
    const Result<std::string> chosen =
        choose_kernel(listed(*file), options.kernel, options.file.path);
    if (!chosen) return fail(chosen.error());
    std::erase_if(file->kernels, [&](const NamedKernel& k) { return k.symbol != *chosen; });
  }
  if (options.json) {
    print_compiled_kernels_json(*file, options.file.path, options.block_threads);
  } else {
    print_compiled_kernels(*file, options.file.path, options.block_threads);
  }
  return 0;
}

int run_kernels(const KernelsOptions& options) {
  if (kind_of_file(options.file.path) != BinaryKind::none) return run_compiled(options);
  Result<UserKernel> user = user_kernel(options.file);
  if (!user) return fail(user.error());
  user->entry = options.kernel;
  Job job;
  job.work = ListingJob{};
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  job.user = std::move(*user);
  Session session;
  std::size_t kernels = 0;
  const auto ran =
      run_jobs(emulator_command(options.engine), {job}, session, nullptr, [&](const Message& m) {
        const auto* listing = std::get_if<Listing>(&m);
        if (listing == nullptr) return;
        kernels = listing->kernels.size();
        print_listing(*listing, options.json);
      });
  if (!ran) return fail_jobs(ran.error());
  for (const auto& [number, submitted] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) return exit_status(done->error->kind);
  }
  if (kernels > 0) return 0;
  return fail({ErrorKind::input,
               "the file has no kernel that is compiled: a template is compiled where it is used",
               options.file.path,
               "name an instance with --kernel, such as --kernel \"name<float>\""});
}

}  // namespace

void declare_kernels(CLI::App& command, int& status) {
  auto options = std::make_shared<KernelsOptions>();
  command
      .add_option("file", options->file.path,
                  "a .cu, .ptx, .cubin, .fatbin, .o, .a or .so file, or a program")
      ->required();
  command.add_option("--kernel", options->kernel,
                     "of a .cu file an instance of a template to compile as well: saxpy<float>; of "
                     "a compiled file the only kernel to list");
  check_range(
      *command.add_option("--block", options->block_threads,
                          "threads per block, for the occupancy of a compiled file's kernels"),
      1, 1024);
  declare_compiler_flags(command, options->file);
  declare_engine_options(command, options->engine);
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_kernels(*options); });
}

}  // namespace warpscope
