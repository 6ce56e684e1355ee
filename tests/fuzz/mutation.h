// tests/fuzz/mutation.h: broken variations of good texts, the same ones in every run.
#pragma once

#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

//   for_mutations(seeds, words, [](const std::string& text) { parse(text); });
//
// Case number i is always the same text, so a failure comes back when the test runs again. A test
// lasts 3 s, or $WARPSCOPE_FUZZ_SECONDS, and at least kLeastCases; or exactly
// $WARPSCOPE_FUZZ_CASES, from case $WARPSCOPE_FUZZ_FROM on. No case may take longer than
// kMostCaseS: one that takes twice that long ends the process. The last line says how many there
// were, and what the slowest took: ./check --long adds these lines up. The mutant that ends the
// process stays in the folder $WARPSCOPE_FUZZ_KEPT, named after its test and its number.

namespace warpscope {

inline constexpr int kLeastCases = 500;

// `text` after one to four changes: bytes changed, parts cut, doubled or cut off at the end,
// `words` put in, or the rest of another of `seeds` appended.
inline std::string mutated(std::string text, const std::vector<std::string>& seeds,
                           const std::vector<std::string>& words, std::mt19937_64& random) {
  const auto below = [&](std::size_t count) {
    return count == 0 ? 0 : static_cast<std::size_t>(random() % count);
  };
  for (std::size_t turn = 1 + below(4); turn > 0; --turn) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.replace(at, below(2) == 0 ? 0 : length, words[below(words.size())]);
        break;
      default: {
        const std::string& other = seeds[below(seeds.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }
  return text;
}

inline constexpr double kMostCaseS = 5;  // of processor time

// Number of the case that is tried: what a process says that is ended.
inline volatile std::sig_atomic_t case_now = 0;

// A case that never returns would be no failure. Counted is the time of the processor, so that a
// busy machine ends nothing. 0: never.
inline void end_process_after(double seconds) {
  std::signal(SIGPROF, [](int) {
    char text[80];
    const int length = std::snprintf(text, sizeof text, "case %ld does not end: it is ended\n",
                                     static_cast<long>(case_now));
    if (::write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) ::_exit(1);
    ::_exit(1);
  });
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  limit.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

inline double processor_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline std::int64_t number_of(const char* variable) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? 0 : std::atoll(asked);
}

// A mutant in a file, from here to the end of its check: a process that ends meanwhile leaves it.
class KeptMutant {
 public:
  KeptMutant(const std::string& text, std::int64_t number) {
    const char* const folder = std::getenv("WARPSCOPE_FUZZ_KEPT");
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    if (folder == nullptr || test == nullptr) return;
    std::string name =
        std::string(test->test_suite_name()) + "." + test->name() + "." + std::to_string(number);
    std::replace(name.begin(), name.end(), '/', '_');
    path_ = std::string(folder) + "/" + name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~KeptMutant() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  KeptMutant(const KeptMutant&) = delete;
  KeptMutant& operator=(const KeptMutant&) = delete;

 private:
  std::string path_;
};

// Calls `check` with each of `seeds`, then with mutations until the time is up. Returns how many
// there were.
inline std::int64_t for_mutations(const std::vector<std::string>& seeds,
                                  const std::vector<std::string>& words,
                                  const std::function<void(const std::string&)>& check) {
  const char* asked = std::getenv("WARPSCOPE_FUZZ_SECONDS");
  const std::chrono::duration<double> limit(asked == nullptr ? 3.0 : std::atof(asked));
  const std::int64_t wanted = number_of("WARPSCOPE_FUZZ_CASES"),
                     from = number_of("WARPSCOPE_FUZZ_FROM");
  const auto start = std::chrono::steady_clock::now();
  double slowest_s = 0;
  const auto timed = [&](const std::string& text, std::int64_t number) {
    const KeptMutant kept(text, number);
    const double before_s = processor_s();
    case_now = static_cast<std::sig_atomic_t>(number);
    end_process_after(2 * kMostCaseS);
    check(text);
    end_process_after(0);
    const double took_s = processor_s() - before_s;
    slowest_s = std::max(slowest_s, took_s);
    EXPECT_LT(took_s, kMostCaseS) << "case " << number << ", " << text.size() << " bytes";
  };
  for (const std::string& seed : seeds) timed(seed, -1);
  std::int64_t cases = 0;
  const auto more = [&] {
    if (wanted > 0) return cases < wanted;
    return cases < kLeastCases || std::chrono::steady_clock::now() - start < limit;
  };
  for (; more(); ++cases) {
    std::mt19937_64 random(static_cast<std::uint64_t>(from + cases));
    timed(mutated(seeds[random() % seeds.size()], seeds, words, random), from + cases);
  }
  std::printf("mutants %lld slowest_s %.3f\n", static_cast<long long>(cases), slowest_s);
  return cases;
}

}  // namespace warpscope
