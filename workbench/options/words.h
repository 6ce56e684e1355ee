// workbench/options/words.h: what is wrong with a command line, in this program's
// words.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace warpscope {

// "--device needs a whole number, not “two”", of what the parser of command lines throws.
std::string words_of(const CLI::Error& error);
// The same of what `app` threw, with the nearest option or command if one was mistyped.
std::string words_of(const CLI::Error& error, const CLI::App& app);

}  // namespace warpscope
