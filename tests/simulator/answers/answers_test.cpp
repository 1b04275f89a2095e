// The answers of the simulated driver equal the recorded ones of a real driver, for correct and incorrect calls.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "catch.hpp"

namespace {

using Question = std::pair<std::string, std::string>;  // group, question
using Answers = std::map<Question, std::string>;

// "# group" and "question<TAB>answer" lines; a repeated question in a group gets the suffix "again".
Answers parse_answers(std::istream& text) {
    Answers answers;
    std::string group;
    std::string line;
    while (std::getline(text, line)) {
        const std::size_t tab = line.find('\t');
        if (line.rfind("# ", 0) == 0) {
            group = line.substr(2);
        } else if (tab != std::string::npos) {
            std::string question = line.substr(0, tab);
            while (answers.count({group, question}) > 0) {
                question += " again";
            }
            answers[{group, question}] = line.substr(tab + 1);
        }
    }
    return answers;
}

Answers parse_differences(std::istream& text) {
    Answers answers;
    std::string line;
    while (std::getline(text, line)) {
        std::istringstream fields(line);
        std::string group;
        std::string question;
        std::string answer;
        if (line.rfind('#', 0) != 0 && std::getline(fields, group, '\t') && std::getline(fields, question, '\t') &&
            std::getline(fields, answer)) {
            answers[{group, question}] = answer;
        }
    }
    return answers;
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
        output.append(buffer.data(), count);
    }
    return output;
}

}  // namespace

TEST_CASE("the simulated driver answers as a real one did") {
    const std::string folder = CUPOOL_ANSWERS_FOLDER;
    std::ifstream recorded_file(folder + "/h200_driver_580.txt");
    std::ifstream differences_file(folder + "/differences.txt");
    REQUIRE(recorded_file);
    REQUIRE(differences_file);
    Answers expected = parse_answers(recorded_file);
    REQUIRE(expected.size() > 1000);
    for (const auto& [question, answer] : parse_differences(differences_file)) {
        INFO(question.first << ": " << question.second);
        CHECK(expected[question] != answer);  // empty if the recording lacks the question
        expected[question] = answer;
    }

    std::istringstream output(output_of("CUPOOL_SIM_DEVICES=2 '" CUPOOL_DRIVER_ANSWERS "' '" CUPOOL_SIMULATOR_LIBRARY "' --devices 2"));
    Answers given = parse_answers(output);
    for (const auto& [question, answer] : expected) {
        INFO(question.first << ": " << question.second);
        REQUIRE(given.count(question) == 1);
        CHECK(given[question] == answer);
        given.erase(question);
    }
    for (const auto& [question, answer] : given) {
        FAIL_CHECK("not on record: " << question.first << ": " << question.second << " = " << answer);
    }
}
