void f(int a) {
    break;
    continue;
    if (a) break;
    switch (a) { case 1: continue; }
    while (a) { switch (a) { default: continue; } }
}
