// Validates JSON by the keywords of JSON Schema that docs/devquery.schema.json uses. An unknown keyword is an error.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cupool::test {

class JsonSchema {
public:
    explicit JsonSchema(nlohmann::json document) : document_(std::move(document)) {}

    /// What a value has against a definition of the schema; members that the schema does not describe count, too.
    std::vector<std::string> faults(const nlohmann::json& value, const std::string& definition) const {
        std::vector<std::string> found;
        check(value, document_.at("definitions").at(definition), "$", found);
        return found;
    }

private:
    using Json = nlohmann::json;

    static bool is_of_type(const Json& value, const std::string& type) {
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        return type == value.type_name();
    }

    void check(const Json& value, const Json& schema, const std::string& place, std::vector<std::string>& found) const {
        for (const auto& [keyword, rule] : schema.items()) check_keyword(keyword, rule, value, schema, place, found);
    }

    void check_keyword(const std::string& keyword, const Json& rule, const Json& value, const Json& schema, const std::string& place,
                       std::vector<std::string>& found) const {
        const auto require = [&](bool is_right) {
            if (!is_right) found.push_back(place + ": " + keyword + " " + rule.dump() + " against " + value.dump().substr(0, 200));
        };
        if (keyword == "$ref") {
            check(value, document_.at(Json::json_pointer(rule.get<std::string>().substr(1))), place, found);
        } else if (keyword == "type") {
            const auto types = rule.is_array() ? rule : Json::array({rule});
            bool is_any = false;
            for (const auto& type : types) is_any = is_any || is_of_type(value, type);
            require(is_any);
        } else if (keyword == "const") {
            require(value == rule);
        } else if (keyword == "enum") {
            require(std::find(rule.begin(), rule.end(), value) != rule.end());
        } else if (keyword == "minimum") {
            require(!value.is_number() || value >= rule);
        } else if (keyword == "required") {
            for (const auto& member : rule) require(!value.is_object() || value.contains(member.get<std::string>()));
        } else if (keyword == "items") {
            for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
                check(value[i], rule, place + "/" + std::to_string(i), found);
        } else if (keyword == "properties") {
            if (!value.is_object()) return;
            for (const auto& [name, member] : value.items()) {
                if (rule.contains(name)) {
                    check(member, rule.at(name), place + "/" + name, found);
                } else if (!schema.contains("additionalProperties")) {
                    found.push_back(place + "/" + name + ": not described");
                }
            }
        } else if (keyword == "additionalProperties") {
            if (!value.is_object()) return;
            for (const auto& [name, member] : value.items()) check(member, rule, place + "/" + name, found);
        } else {
            found.push_back(place + ": unknown keyword " + keyword);
        }
    }

    Json document_;
};

}  // namespace cupool::test
