angled plain
