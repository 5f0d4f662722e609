/** What every page's script does first: the pages' style hides what is only for those without one. */
document.documentElement.classList.add('script');
document.getElementById('troubles')?.focus();
