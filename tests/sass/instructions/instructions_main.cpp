// tests/sass/instructions/instructions_main.cpp: what single instructions of machine code do, on a
// device and emulated.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/sass/instructions/emulated.h"
#include "tests/sass/instructions/golden.h"

// Usage: warpscope_sass_instructions record OUT [CUBINS [VALUES [FAMILY]]] on a machine with a GPU;
//        warpscope_sass_instructions check FILE [VALUES|-] [DISASSEMBLY …] without one. FILE may be
//        "none". DISASSEMBLY: texts of nvdisasm, whose forms should have a case.
//        warpscope_sass_instructions choose FILE COUNT marks so many cases as quick, those first
//        that have most forms which no earlier one has;
//        warpscope_sass_instructions write FOLDER: the modules as PTX.

namespace {

using namespace warpscope;
using namespace warpscope::instructions;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Words = std::vector<std::uint32_t>;

// "12 of 512 words, first lane 3: 00000001 not 00000000 of 3f800000 …"
std::string difference(const Case& c, const Words& got, const Words& expected) {
  int count = 0;
  std::size_t first = 0;
  for (std::size_t k = got.size(); k-- > 0;) {
    if (k < expected.size() && got[k] == expected[k]) continue;
    ++count;
    first = k;
  }
  if (count == 0) return {};
  const Words in = inputs_of(c.inputs);
  const std::size_t lane = first % kLanes;
  char text[300];
  std::snprintf(text, sizeof text,
                "%d of %zu words, word %zu of lane %zu: %08x not %08x; inputs %08x %08x %08x %08x",
                count, got.size(), first / kLanes, lane, got[first],
                first < expected.size() ? expected[first] : 0, in[4 * lane], in[4 * lane + 1],
                in[4 * lane + 2], in[4 * lane + 3]);
  return text;
}

struct Sums {
  int cases = 0, refused = 0, golden = 0, equal = 0, outdated = 0, ptx_equal = 0, ptx_refused = 0;
  std::set<std::string> forms;
};

void compare(const Case& c, EmulatedCases& family, const Golden& golden, const Words& values,
             Sums& sums) {
  ++sums.cases;
  sums.forms.merge(forms_of(family.text(c)));
  const Emulated machine = family.from_machine_code(c), ptx = family.from_ptx(c);
  const char* const name = c.name.c_str();
  if (!machine.problem.empty()) {
    ++sums.refused;
    std::printf("%s REFUSED: %s\n", name, machine.problem.c_str());
    return;
  }
  const auto row = golden.rows.find(c.name);
  if (row != golden.rows.end() && row->second.text != hash_of(c)) {
    ++sums.outdated;
    std::printf("%s has changed since it was recorded\n", name);
  } else if (row != golden.rows.end()) {
    ++sums.golden;
    if (kept_words(c, machine.words) == row->second.words) {
      ++sums.equal;
    } else {
      if (c.approximate && c.results == 1)
        std::printf("%s is within %lld units of the last place\n", name,
                    static_cast<long long>(distance(machine.words, row->second.words)));
      const Words& device = c.approximate ? row->second.words : values;
      std::printf("%s DEVICE: %s\n", name,
                  device.empty() ? "differs" : difference(c, machine.words, device).c_str());
      if (ptx.problem.empty() && kept_words(c, ptx.words) != row->second.words)
        std::printf("%s PTX differs from the device too: %s\n", name,
                    device.empty() ? "" : difference(c, ptx.words, device).c_str());
    }
  }
  if (!ptx.problem.empty()) {
    ++sums.ptx_refused;
    std::printf("%s PTX refused: %s\n", name, ptx.problem.c_str());
  } else if (ptx.words == machine.words) {
    ++sums.ptx_equal;
  } else if (golden.rows.empty()) {
    std::printf("%s PTX: %s\n", name, difference(c, machine.words, ptx.words).c_str());
  }
}

int check(int count, char** arguments) {
  const Tools tools = find_tools(".");
  if (!tools.missing.empty()) {
    std::printf("%s\n", tools.missing.c_str());
    return 2;
  }
  const Golden golden = golden_of(read_file(arguments[2]));
  const std::string values = count > 3 ? read_file(arguments[3]) : "";
  Sums sums;
  std::size_t at = 0;
  for (const std::string& name : families()) {
    EmulatedCases family(names_of(name), tools);
    if (!family.problem().empty()) std::printf("%s: %s\n", name.c_str(), family.problem().c_str());
    for (const Case& c : cases()) {
      if (c.family != name) continue;
      Words device;
      const std::size_t bytes = 4 * static_cast<std::size_t>(words_of(c));
      if (at + bytes <= values.size()) {
        device.resize(bytes / 4);
        std::memcpy(device.data(), values.data() + at, bytes);
      }
      at += bytes;
      compare(c, family, golden, device, sums);
    }
    std::fflush(stdout);
  }
  for (const auto& [what, value] : golden.origin)
    std::printf("%s: %s\n", what.c_str(), value.c_str());
  std::printf(
      "%d cases: %d refused; %d of %d equal the device's, %d are out of date; %d equal PTX's, "
      "whose emulator refuses %d\n",
      sums.cases, sums.refused, sums.equal, sums.golden, sums.outdated, sums.ptx_equal,
      sums.ptx_refused);
  std::printf("%zu forms have a case\n", sums.forms.size());
  std::set<std::string> used;
  for (int k = 4; k < count; ++k) used.merge(forms_of(read_file(arguments[k])));
  for (const std::string& form : used) {
    if (!sums.forms.contains(form)) std::printf("no case has %s\n", form.c_str());
  }
  return sums.equal == sums.golden && sums.refused == 0 && sums.outdated == 0 ? 0 : 1;
}

int choose(const char* file, std::size_t most) {
  Golden golden = golden_of(read_file(file));
  const Tools tools = find_tools(".");
  std::map<std::string, std::set<std::string>> forms;
  for (const std::string& name : families()) {
    EmulatedCases family(names_of(name), tools);
    for (const Case& c : cases()) {
      if (c.family == name && golden.rows.contains(c.name))
        forms[c.name] = forms_of(family.text(c));
    }
  }
  for (auto& [name, row] : golden.rows) row.quick = false;
  std::set<std::string> seen;
  const auto news = [&](const std::set<std::string>& of) {
    return std::count_if(of.begin(), of.end(),
                         [&](const std::string& form) { return !seen.contains(form); });
  };
  for (std::size_t k = 0; k < most && !forms.empty(); ++k) {
    const auto best = std::max_element(
        forms.begin(), forms.end(),
        [&](const auto& a, const auto& b) { return news(a.second) < news(b.second); });
    golden.rows[best->first].quick = true;
    seen.merge(best->second);
    forms.erase(best);
  }
  std::ofstream(file) << text_of(golden);
  std::printf("the quick cases have %zu forms\n", seen.size());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 2 ? arguments[1] : "";
  const auto given = [&](int k) { return count > k ? std::string(arguments[k]) : std::string(); };
  if (mode == "record") return record(given(2), given(3), given(4), given(5));
  if (mode == "check") return check(count, arguments);
  if (mode == "choose" && count > 3) return choose(arguments[2], std::stoul(arguments[3]));
  if (mode == "write") {
    for (const std::string& family : families())
      std::ofstream(given(2) + "/" + family + ".ptx") << module_of(names_of(family));
    return 0;
  }
  std::printf(
      "sass_instructions record OUT [CUBINS [VALUES [FAMILY]]] | check FILE [VALUES|- "
      "[DISASSEMBLY …]] | choose FILE COUNT | write FOLDER\n");
  return 2;
}
