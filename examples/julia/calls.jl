# freeridge.h as Julia: every type, constant and call, with the names of C, made of the table declarations.txt, whose
# head says how it is written. The header is the manual. A part of Freeridge.jl.

const numbers = Dict("double" => :Float64, "int32_t" => :Int32, "int64_t" => :Int64, "char" => :UInt8, "void" => :Cvoid)

# A type of the table as Julia's: & and * before a type are pointers to it.
function julia_type(word)
    word == "&char" && return :Cstring
    word[1] in "&*" && return :(Ptr{$(julia_type(word[2:end]))})
    get(numbers, word, Symbol(word))
end

function declare(line)
    startswith(line, "#") && return
    words = split(line, ' ')
    kind, name = words[1], Symbol(words[2])
    typed = [split(word, ':') for word in words if occursin(':', word)]  # arguments or fields
    arguments, types = [Symbol(pair[1]) for pair in typed], [julia_type(pair[2]) for pair in typed]
    if kind == "handle"
        @eval struct $name end
    elseif kind == "number"
        @eval const $name = $(julia_type(words[3]))
    elseif kind == "callback"
        @eval const $name = Ptr{Cvoid}  # of @cfunction
    elseif kind == "struct"
        fields = [Expr(:(::), field, type) for (field, type) in zip(arguments, types)]
        @eval struct $name
            $(fields...)
        end
    elseif kind == "constant"
        @eval const $name = $(julia_type(words[3]))($(parse(Int, words[4])))
    elseif kind == "call"
        result = julia_type(words[3])
        @eval $name($(arguments...)) = ccall(($(QuoteNode(name)), library), $result, ($(types...),), $(arguments...))
    else
        error("declarations.txt has a line that is not understood: $line")
    end
end

foreach(declare, eachline(joinpath(@__DIR__, "declarations.txt")))
