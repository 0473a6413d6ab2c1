# What R makes for the site (make.py), into the current directory.
#
#     pages.R help FOLDER      each help page of FOLDER as a piece of HTML: NAME.html
#     pages.R vignette FILE    FILE, knitted: NAME.md, and its pictures NAME-CHUNK-1.png

help <- function(folder) {
  files <- list.files(folder, "\\.Rd$", full.names = TRUE)
  names <- sub("\\.Rd$", "", basename(files))
  aliases <- lapply(files, function(file) {
    tags <- Filter(function(part) attr(part, "Rd_tag") == "\\alias", tools::parse_Rd(file))
    vapply(tags, function(part) paste(unlist(part), collapse = ""), "")
  })
  links <- setNames(paste0(rep(names, lengths(aliases)), ".html"), unlist(aliases))
  for (k in seq_along(files)) {
    # Links to R's own pages lead nowhere here: those warnings.
    lines <- suppressWarnings(utils::capture.output(
      tools::Rd2HTML(files[k], package = "freeridge", Links = links, Links2 = links, texmath = "katex")))
    title <- grep("^<h2>", lines)[1]
    end <- grep("^(<hr />)?</?div.*", lines)
    writeLines(lines[title:(min(end[end > title]) - 1)], paste0(names[k], ".html"))
  }
}

vignette <- function(file) {
  name <- sub("\\.Rmd$", "", basename(file))
  knitr::opts_knit$set(rmarkdown.pandoc.to = "html")
  knitr::opts_chunk$set(dev = "png", dpi = 96, fig.retina = 2, fig.path = paste0(name, "-"))
  knitr::knit(file, paste0(name, ".md"), quiet = TRUE, envir = new.env(parent = globalenv()))
}

arguments <- commandArgs(TRUE)
invisible(get(arguments[1])(arguments[2]))
