"""Topics: lexicon, domains for automatic labels, seeds, blacklist and page rule, one YAML file each."""
