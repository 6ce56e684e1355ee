// profiling/engine/compile/steps/kept_code.cpp: what a compiler made, kept on disk.
#include "profiling/engine/compile/steps/kept_code.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

// A cache entry is the two lengths, the hash of what follows, the log, and the cubin; anything else
// is compiled again.
std::optional<Compiled> entry_of(const std::string& kept) {
  std::istringstream head(kept.substr(0, kept.find('\n')));
  std::size_t log_bytes = 0, cubin_bytes = 0;
  std::string magic, seal;
  if (!(head >> magic >> log_bytes >> cubin_bytes >> seal) || magic != "warpscope-cubin")
    return std::nullopt;
  const std::string_view rest = std::string_view(kept).substr(kept.find('\n') + 1);
  // Compared one by one: a sum of what a broken text says may be anything.
  if (log_bytes > rest.size() || cubin_bytes != rest.size() - log_bytes || seal != hash_of(rest))
    return std::nullopt;
  Compiled code;
  code.log = rest.substr(0, log_bytes);
  code.cubin = rest.substr(log_bytes);
  code.from_cache = true;
  return code;
}

std::string kept_text(const Compiled& code) {
  std::ostringstream text;
  text << "warpscope-cubin " << code.log.size() << ' ' << code.cubin.size() << ' '
       << hash_of(code.log + code.cubin) << '\n'
       << code.log << code.cubin;
  return text.str();
}

// Holds what is being compiled, so that a second thread waits for it and finds it in the cache.
class UnderWay {
 public:
  explicit UnderWay(std::string hash) : hash_(std::move(hash)) {
    std::unique_lock lock(mutex());
    changed().wait(lock, [this] { return hashes().insert(hash_).second; });
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() {
    const std::lock_guard lock(mutex());
    hashes().erase(hash_);
    changed().notify_all();
  }

 private:
  // Never destroyed: a process may end while a thread compiles.
  static std::mutex& mutex() {
    static auto& one = *new std::mutex;
    return one;
  }
  static std::condition_variable& changed() {
    static auto& one = *new std::condition_variable;
    return one;
  }
  static std::set<std::string>& hashes() {
    static auto& all = *new std::set<std::string>;
    return all;
  }
  std::string hash_;
};

const char* shelf_of(Target target) { return target == Target::cubin ? "cubin" : "ptx"; }

}  // namespace

Result<Compiled> cached(const std::string& hash, Target target,
                        const std::function<Result<Compiled>()>& make) {
  const UnderWay alone(hash);
  const char* const shelf = shelf_of(target);
  constexpr std::int64_t kMostBytes = 1 << 28;
  // Without one everything is compiled anew; the workbench says why there is none.
  const Result<Cache> cache = Cache::open();
  const auto look = [&]() -> std::optional<Compiled> {
    const auto kept = cache ? cache->read(shelf, hash + ".bin", kMostBytes) : std::nullopt;
    std::optional<Compiled> found = kept ? entry_of(*kept) : std::nullopt;
    if (found) found->hash = hash;
    return found;
  };
  if (auto found = look()) return std::move(*found);
  // Another process may be compiling the same, for as long as a compiler may take, or be stopped.
  const double patience_s = CompileRequest{}.limit_s;
  const CacheTurn turn = cache ? cache->turn(shelf, hash, patience_s) : CacheTurn();
  if (auto found = look()) return std::move(*found);
  Result<Compiled> code = make();
  if (!code) return code;
  code->hash = hash;
  if (cache) cache->write(shelf, hash + ".bin", kept_text(*code));
  return code;
}

void keep(const std::string& hash, Target target, const Compiled& code) {
  if (const Result<Cache> cache = Cache::open())
    cache->write(shelf_of(target), hash + ".bin", kept_text(code));
}

}  // namespace warpscope
